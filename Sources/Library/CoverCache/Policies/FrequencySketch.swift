/// An estimate of how often keys were used recently: a count-min sketch of four-bit counters.
///
/// An estimate is never below the number of additions since the last halving, up to 15. All
/// counters are halved after ten additions per table entry, so that old favourites are forgotten.
///
/// Source: G. Einziger, R. Friedman, B. Manes, "TinyLFU: a highly efficient cache admission
/// policy", ACM Transactions on Storage 13(4), 2017, doi:10.1145/3149371.
struct FrequencySketch: Sendable {
  private static let additionsPerEntry = 10
  private static let highest: UInt64 = 15
  // Sixteen counters per word. A key has one counter in each pair of words within a block of eight
  // words, which is one cache line.
  private var words: [UInt64]
  private var additions = 0

  init() { words = Array(repeating: 0, count: 256) }

  /// Grows the sketch for a number of entries without changing its estimates.
  mutating func grow(toEntries entries: Int) {
    // Doubling keeps the estimates, because an index with one more bit finds a copy of the same
    // counters.
    while words.count < entries { words += words }
  }

  /// Counts uses, and halves all counters at an interval set by the number of entries in the table.
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

  /// Returns how often a key was used recently, from 0 to 15; the estimate may be too high.
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

  /// Returns the position of a key's counter in a row; eight bits of the hash choose it.
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
