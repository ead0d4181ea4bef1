/// A set of hashes that may contain others by chance: a Bloom filter with four bits per hash.
///
/// Source: B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors", Communications
/// of the ACM 13(7), 1970, doi:10.1145/362686.362692.
struct Doorkeeper: Sendable {
  // The bits of a hash are in one block of eight words, which is one cache line.
  private var words: [UInt64]

  /// Creates an empty set; the number of words is a power of two, at least 8.
  init(wordCount: Int) { words = Array(repeating: 0, count: wordCount) }

  /// Doubles the set without changing its content.
  mutating func double() {
    // An index with one more bit finds a copy of the same block.
    words += words
  }

  /// Inserts a hash whose bits are well mixed, and returns whether it was absent.
  mutating func insert(_ mixed: UInt64) -> Bool {
    var isNew = false
    for number in 0..<4 {
      let (word, bit) = position(of: mixed, number)
      isNew = isNew || words[word] & bit == 0
      words[word] |= bit
    }
    return isNew
  }

  func contains(_ mixed: UInt64) -> Bool {
    (0..<4).allSatisfy { number in
      let (word, bit) = position(of: mixed, number)
      return words[word] & bit != 0
    }
  }

  mutating func removeAll() { for index in words.indices { words[index] = 0 } }

  /// Returns the position of a bit; the block is chosen by the low bits of the hash.
  private func position(of mixed: UInt64, _ number: Int) -> (word: Int, bit: UInt64) {
    let block = Int(truncatingIfNeeded: mixed) & (words.count - 1) & ~7
    let choice = (mixed &* 0xD6E8_FEB8_6659_FD93) >> UInt64(28 + 9 * number)
    return (block + Int(choice >> 6 & 7), 1 << (choice & 63))
  }
}
