/// A fast random number generator that yields the same sequence for the same seed on every machine.
///
/// The algorithm is SplitMix64: each 64-bit state occurs once in its period of 2^64. It is suitable
/// for test data, shuffles and resampling, not for secrets. It is inlinable because simulations draw
/// billions of numbers.
///
/// Source: Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
  @usableFromInline var state: UInt64

  /// Creates a generator.
  @inlinable public init(seed: UInt64) { state = seed }

  /// Returns the next 64 random bits.
  @inlinable public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  /// Returns a number in 0..<1 with 53 random bits.
  @inlinable public mutating func nextUniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// Returns the hash that the generator applies to its state: a bijection of 64-bit numbers.
  @inlinable public static func mixed(_ value: UInt64) -> UInt64 {
    var bits = value
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
