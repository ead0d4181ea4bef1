/// A small, fast random number generator with a reproducible sequence (SplitMix64).
///
/// Every 64-bit state occurs once in its period of 2^64. It is suitable for shuffling and
/// resampling, not for secrets.
///
/// - Note: Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// Creates a generator.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// Returns a number in 0..<1 with 53 random bits.
  public mutating func nextUniform() -> Double { Double(next() >> 11) * 0x1p-53 }
}
