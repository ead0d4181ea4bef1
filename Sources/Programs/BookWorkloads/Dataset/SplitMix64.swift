/// A small generator of random numbers that gives the same ones everywhere and for ever.
///
/// The standard library does not promise the same sequence from `random(in:using:)` in its next
/// version, so the ranges are made here as well.
///
/// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014, doi:10.1145/2660193.2660195; constants of variant 13 of its finaliser.
struct SplitMix64 {
  private var state: UInt64

  /// Creates a generator.
  ///
  /// - Parameters:
  ///   - seed: The data set's.
  ///   - stream: Which of its independent sequences.
  init(seed: UInt64, stream: UInt64) {
    self.init(state: Self.mixed(seed) ^ Self.mixed(stream &+ 0x9E37_79B9_7F4A_7C15))
  }

  /// Creates a generator in a given state.
  init(state: UInt64) { self.state = state }

  /// Returns the next 64 bits.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  /// Returns a number from 0 to below a limit of at most 2^32; its bias is under limit / 2^64.
  mutating func below(_ limit: Int) -> Int {
    Int(UInt64(limit).multipliedFullWidth(by: next()).high)
  }

  /// Returns a number of a range.
  mutating func of(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// Returns one element of an array that is not empty.
  mutating func of<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  /// Returns a multiple of 2^-24 in 0..<1.
  mutating func fraction() -> Float { Float(next() >> 40) * 0x1p-24 }

  /// Returns an index, each as often as its weight in percent says.
  mutating func weighted(_ percents: [Int]) -> Int {
    var rest = below(100)
    for (index, percent) in percents.enumerated() {
      if rest < percent { return index }
      rest -= percent
    }
    return percents.count - 1
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
