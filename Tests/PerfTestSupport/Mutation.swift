internal import Foundation

/// Seeded changes of valid files: they reach faults of readers that random bytes do not.
///
/// A reader must refuse a changed file with an error, or read it. A trap ends the test program, whose last lines
/// name the test.
public struct Mutation {
  /// Words that break assumptions about text and numbers.
  private static let words = [
    "", "-1", "0", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e999",
    "-1e-999", "1e308", "-1e308", "NaN", "null", "true", "[]", "{}", "\"", "\\", "'", ",", ":",
    "\n", "\r", "\t", "\0", "\u{1B}[31m",
    "\u{FEFF}", "\u{202E}", "\u{10FFFF}", "<script>", "&quot;", "../../x", "%s%n", "- ", "? ", "*a",
    "&a ", "!!int ",
  ]

  private var random: SampleRandom
  private let corpus: [[UInt8]]

  /// The factor of all numbers of inputs in the long form, set by `Scripts/reliability inputs`.
  private static let factor =
    ProcessInfo.processInfo.environment["PERFKIT_MUTATIONS"].flatMap(Int.init)
  /// The factor of the short form: the tests of all readers take about a minute together.
  private static let shortFactor = 2
  /// A number that is added to all seeds in the long form, so that its passes have other inputs.
  private static let pass =
    ProcessInfo.processInfo.environment["PERFKIT_MUTATION_PASS"].flatMap(UInt64.init) ?? 0

  /// Calls a closure with changed files.
  ///
  /// The long form prints the number of inputs and the longest time of one.
  ///
  /// - Parameters:
  ///   - corpus: Valid files, at least one; parts of one are inserted into another.
  ///   - count: The number of inputs.
  ///   - seed: Equal seeds give equal inputs.
  ///   - body: Reads an input.
  /// - Throws: The error of `body`.
  public static func each(
    of corpus: [[UInt8]], count: Int, seed: UInt64, _ body: ([UInt8]) throws -> Void
  ) rethrows {
    var mutation = Mutation(random: SampleRandom(seed: seed &+ pass << 32), corpus: corpus)
    let inputs = count * (factor ?? shortFactor)
    var longest = Duration.zero
    for _ in 0..<inputs {
      let input = mutation.next()
      longest = max(longest, try ContinuousClock().measure { try body(input) })
    }
    if factor != nil {
      print("mutations: \(inputs) inputs, longest \(longest / .milliseconds(1)) ms")
    }
  }

  /// Calls a closure with changed texts; bytes that are no UTF-8 become U+FFFD.
  public static func each(
    of texts: [String], count: Int, seed: UInt64, _ body: (String) throws -> Void
  ) rethrows {
    try each(of: texts.map { Array($0.utf8) }, count: count, seed: seed) {
      try body(String(decoding: $0, as: UTF8.self))
    }
  }

  /// Returns a file of the corpus with one to six changes.
  private mutating func next() -> [UInt8] {
    var bytes = corpus[below(corpus.count)]
    for _ in 0...below(6) { change(&bytes) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let place = below(bytes.count + 1)
    let length = min(bytes.count - place, 1 + below(random.chance(0.2) ? 1000 : 12))
    let range = place..<(place + length)
    switch below(10) {
    case 0 where length > 0: bytes[place] ^= 1 << UInt8(below(8))
    case 1 where length > 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 2: bytes.removeSubrange(range)
    case 3: bytes.insert(contentsOf: bytes[range], at: place)
    case 4: bytes.replaceSubrange(range, with: Self.words[below(Self.words.count)].utf8)
    case 5: bytes.insert(contentsOf: Self.words[below(Self.words.count)].utf8, at: place)
    case 6:
      let other = corpus[below(corpus.count)]
      let start = below(other.count + 1)
      bytes.replaceSubrange(range, with: other[start..<min(other.count, start + 1 + below(60))])
    case 7:
      // A number in binary, at the edges of its range.
      let number: UInt64 = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, .max][below(9)]
      let width = [1, 2, 4, 8][below(4)]
      let word = (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
      bytes.replaceSubrange(
        place..<min(bytes.count, place + width), with: random.chance(0.5) ? word : word.reversed())
    case 8:
      let character = [UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "a"), 0][below(4)]
      bytes.insert(contentsOf: repeatElement(character, count: 1 << below(13)), at: place)
    default: if random.chance(0.1) { bytes.removeSubrange(place...) }
    }
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}
