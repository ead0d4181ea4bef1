/// An estimate of how often keys were used recently: a count-min sketch of four-bit counters, and a
/// doorkeeper for first uses.
///
/// An estimate is never below the number of additions since the last halving, up to 16. The first
/// use of a key is noted in the doorkeeper alone, so that keys that are used once take no counters.
///
/// Source: G. Einziger, R. Friedman, B. Manes, "TinyLFU: a highly efficient cache admission
/// policy", ACM Transactions on Storage 13(4), 2017, doi:10.1145/3149371.
struct FrequencySketch: Sendable {
  private static let highest: UInt64 = 15
  private static let wordsPerEntry = 4
  // Sixteen counters per word. A key has one counter in each pair of words within a block of eight
  // words, which is one cache line.
  private var words: [UInt64]
  private var doorkeeper: Doorkeeper
  private var additions = 0

  /// Creates an empty sketch of 16 KiB and a doorkeeper of the same size.
  ///
  /// Among a thousand keys, all four counters of a key are rarely shared.
  init() {
    words = Array(repeating: 0, count: 2048)
    doorkeeper = Doorkeeper(wordCount: 2048)
  }

  /// Grows the sketch for a number of entries without changing its estimates.
  mutating func grow(toEntries entries: Int) {
    // Doubling keeps the estimates, because an index with one more bit finds a copy of the same
    // counters.
    while words.count < entries * Self.wordsPerEntry {
      words += words
      doorkeeper.double()
    }
  }

  /// Counts uses of a key.
  mutating func add(_ hash: UInt64, times: Int) {
    additions += times
    let mixed = Self.mixed(hash)
    let counted = doorkeeper.insert(mixed) ? times - 1 : times
    guard counted > 0 else { return }
    for row in 0..<4 {
      let (word, shift) = position(of: mixed, row: row)
      let counter = (words[word] >> shift) & Self.highest
      words[word] += min(Self.highest - counter, UInt64(counted)) << shift
    }
  }

  /// Halves all counts, including the number of uses, while there were as many uses as the sample
  /// size.
  ///
  /// First uses are forgotten, so that old favourites and rare keys fade away.
  mutating func age(sampleSize: Int) {
    while additions >= max(1, sampleSize) {
      for index in words.indices { words[index] = (words[index] >> 1) & 0x7777_7777_7777_7777 }
      doorkeeper.removeAll()
      additions /= 2
    }
  }

  /// Returns how often a key was used recently, from 0 to 16; the estimate may be too high.
  func estimate(_ hash: UInt64) -> Int {
    let mixed = Self.mixed(hash)
    var least = Self.highest
    for row in 0..<4 {
      let (word, shift) = position(of: mixed, row: row)
      least = min(least, (words[word] >> shift) & Self.highest)
    }
    return Int(least) + (doorkeeper.contains(mixed) ? 1 : 0)
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
