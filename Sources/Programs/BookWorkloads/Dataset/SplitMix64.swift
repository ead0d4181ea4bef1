internal import PerfWorkload

/// A seeded generator whose draws are the same on every platform and version.
///
/// The standard library does not promise that `random(in:using:)` keeps its sequence between
/// versions, so this type derives bounded numbers itself.
struct SplitMix64 {
  private var generator: SeededGenerator

  /// Creates the generator of an independent sequence of a seed.
  init(seed: UInt64, stream: UInt64) {
    self.init(
      state: SeededGenerator.mixed(seed)
        ^ SeededGenerator.mixed(stream &+ 0x9E37_79B9_7F4A_7C15))
  }

  init(state: UInt64) { generator = SeededGenerator(seed: state) }

  mutating func next() -> UInt64 { generator.next() }

  /// Returns a number from 0 to below `limit`, which is at most 2^32; the bias is under
  /// `limit` / 2^64.
  mutating func below(_ limit: Int) -> Int {
    Int(UInt64(limit).multipliedFullWidth(by: next()).high)
  }

  /// Returns a number in a range.
  mutating func of(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// Returns an element of a non-empty array.
  mutating func of<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  /// Returns a multiple of 2^-24 in 0..<1.
  mutating func fraction() -> Float { Float(next() >> 40) * 0x1p-24 }

  /// Returns an index, with the probabilities in percent.
  mutating func weighted(_ percents: [Int]) -> Int {
    var rest = below(100)
    for (index, percent) in percents.enumerated() {
      if rest < percent { return index }
      rest -= percent
    }
    return percents.count - 1
  }
}
