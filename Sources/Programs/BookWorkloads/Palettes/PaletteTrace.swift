/// For which books palettes are asked, one after the other.
///
/// The case study counted 1,247 requests: 892 were answered from memory, 284 from disk and 71 by an
/// extraction. The same parts come out here: a book that an earlier session has seen comes from disk
/// when it is met first, one that is new is extracted, and whatever is asked for again is among the
/// last fifty.
struct PaletteTrace {
  /// Books from 0; those below ``known`` have been seen by an earlier session.
  let requests: [Int]
  /// Books that are met first on disk.
  let known: Int
  /// Books that have never been seen.
  let new: Int

  /// Palettes in memory.
  static let memory = 50

  /// Draws a trace.
  ///
  /// - Parameters:
  ///   - count: Requests, at least 20.
  ///   - seed: What it is drawn from.
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

  /// All books.
  var books: Int { known + new }
}
