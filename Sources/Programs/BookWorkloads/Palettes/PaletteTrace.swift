/// The books of a series of palette requests.
///
/// The case study counted 1,247 requests: 892 were answered from memory, 284 from disk and 71 by an
/// extraction. A trace has the same shares: the first request for a known book is answered from
/// disk, the first request for a new book needs an extraction, and each repeated book is among the
/// last fifty.
struct PaletteTrace {
  /// The numbers of the books, from 0; an earlier session has stored the books below ``known``.
  let requests: [Int]
  /// The number of books that an earlier session has stored.
  let known: Int
  /// The number of books that no earlier session has stored.
  let new: Int

  /// The number of palettes that fit in memory.
  static let memory = 50

  /// Draws a random trace of at least 20 requests.
  init(count: Int, seed: UInt64) {
    known = (count * 284 + 623) / 1_247
    new = (count * 71 + 623) / 1_247
    var random = SplitMix64(seed: seed, stream: 0x9A1E77E)
    var unseen = Array(0..<known + new)
    var recent: [Int] = []
    var requests: [Int] = []
    while requests.count < count {
      let left = count - requests.count
      let book: Int
      if recent.isEmpty || random.below(left) < unseen.count {
        let place = random.below(unseen.count)
        unseen.swapAt(place, unseen.count - 1)
        book = unseen.removeLast()
      } else {
        book = recent.remove(at: random.below(recent.count))
      }
      recent.append(book)
      if recent.count > Self.memory { recent.removeFirst() }
      requests.append(book)
    }
    self.requests = requests
  }

  /// The number of books.
  var books: Int { known + new }
}
