/// Estimates how often keys were asked for lately: a count-min sketch of four-bit counters.
///
/// An estimate is never below the number of additions since the last halving, up to 15. When there
/// were ten additions for each entry of the table all counters are halved, so that old favourites are
/// forgotten.
///
/// Source: G. Einziger, R. Friedman, B. Manes, "TinyLFU: a highly efficient cache admission policy",
/// ACM Transactions on Storage 13(4), 2017, doi:10.1145/3149371.
struct FrequencySketch: Sendable {
  private static let additionsPerEntry = 10
  private static let highest: UInt64 = 15
  // Sixteen counters a word. A key has one counter in each pair of words of a block of eight, which is
  // a cache line.
  private var words: [UInt64]
  private var additions = 0

  /// Makes a sketch of nothing.
  init() { words = Array(repeating: 0, count: 256) }

  /// Makes the sketch large enough for some entries; estimates stay what they are.
  mutating func grow(toEntries entries: Int) {
    // A copy of each half has the estimates of the whole: an index that is one bit longer finds the
    // same counters.
    while words.count < entries { words += words }
  }

  /// Counts uses, and ages the sketch when it is due.
  ///
  /// - Parameters:
  ///   - hash: Of the key.
  ///   - times: How often it was used.
  ///   - entries: How many the table holds, by which the age is measured.
  mutating func add(_ hash: UInt64, times: Int, entries: Int) {
    let mixed = Self.mixed(hash)
    for row in 0..<4 {
      let (word, shift) = position(of: mixed, row: row)
      let counter = (words[word] >> shift) & Self.highest
      words[word] += min(Self.highest - counter, UInt64(times)) << shift
    }
    additions += times
    while additions >= Self.additionsPerEntry * max(entries, 16) { halve() }
  }

  /// How often a key was used lately, from 0 to 15; rather too much than too little.
  func estimate(_ hash: UInt64) -> Int {
    let mixed = Self.mixed(hash)
    var least = Self.highest
    for row in 0..<4 {
      let (word, shift) = position(of: mixed, row: row)
      least = min(least, (words[word] >> shift) & Self.highest)
    }
    return Int(least)
  }

  private mutating func halve() {
    for index in words.indices { words[index] = (words[index] >> 1) & 0x7777_7777_7777_7777 }
    additions /= 2
  }

  /// Where a key's counter of a row is: eight bits of the hash choose it within the block.
  private func position(of mixed: UInt64, row: Int) -> (word: Int, shift: UInt64) {
    let block = Int(truncatingIfNeeded: mixed) & (words.count - 1) & ~7
    let choice = mixed >> UInt64(32 + 8 * row)
    return (block + 2 * row + Int(choice & 1), (choice >> 1 & 15) * 4)
  }

  private static func mixed(_ hash: UInt64) -> UInt64 {
    let mixed = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15
    return mixed ^ mixed >> 29
  }
}
