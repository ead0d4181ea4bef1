/// A SplitMix64 generator with the draws that sample data needs; identical on every machine.
public struct SampleRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator; equal seeds give equal numbers.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 to below 1.
  public mutating func unit() -> Double {
    Double(next() >> 11) / 9_007_199_254_740_992
  }

  /// Returns a number around a centre: the sum of three uniform draws, at most `spread` away.
  public mutating func around(_ centre: Double, spread: Double) -> Double {
    centre + (unit() + unit() + unit() - 1.5) / 1.5 * spread
  }

  /// Returns true with a probability.
  public mutating func chance(_ probability: Double) -> Bool {
    unit() < probability
  }
}
