/// The SplitMix64 generator, with draws that are the same for a seed on every platform and version.
///
/// The standard library does not promise that `random(in:using:)` keeps its sequence between
/// versions, so this type also derives bounded numbers itself.
///
/// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014, doi:10.1145/2660193.2660195.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator; equal seeds give equal numbers.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 to below `limit`, which is at most 2^32.
  public mutating func below(_ limit: Int) -> Int {
    Int(UInt64(limit).multipliedFullWidth(by: next()).high)
  }

  /// Returns a number from 0 to below 1.
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
