internal import PerfModel

/// A seeded generator with the draws that test data needs.
public struct SampleRandom: RandomNumberGenerator, Sendable {
  private var generator: SeededGenerator

  /// Creates a generator; equal seeds give equal numbers.
  public init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 { generator.next() }

  /// Returns a number from 0 to below 1.
  public mutating func unit() -> Double { generator.nextUniform() }

  /// Returns a number around a centre: the sum of three uniform draws, at most `spread` away.
  public mutating func around(_ centre: Double, spread: Double) -> Double {
    centre + (unit() + unit() + unit() - 1.5) / 1.5 * spread
  }

  /// Returns true with a probability.
  public mutating func chance(_ probability: Double) -> Bool {
    unit() < probability
  }
}
