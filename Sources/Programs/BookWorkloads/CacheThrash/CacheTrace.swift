internal import CoverCache
internal import Glibc

/// In which order covers are asked for.
enum CacheTrace: String, CaseIterable {
  /// From the first book to the last, again and again: what an LRU cache is worst at.
  case cyclic
  /// As they appear while a reader flings up and down.
  case fling
  /// A few favourites often, most books rarely: Zipf's law with exponent 0.9.
  case zipf
  /// The same, and a hundred neighbours looked through after each two hundred requests.
  case zipfWithScans = "zipf-scans"

  /// Makes the books that are asked for, one after the other.
  ///
  /// - Parameters:
  ///   - books: How many there are, at least one.
  ///   - length: How many requests there are.
  ///   - seed: What the random traces are drawn from.
  /// - Returns: Books from 0.
  func requests(books: Int, length: Int, seed: UInt64) -> [Int] {
    var random = SplitMix64(seed: seed, stream: 0xCAC4E)
    return switch self {
    case .cyclic: (0..<length).map { $0 % books }
    case .fling: Self.flings(books: books, length: length, &random)
    case .zipf: Self.favourites(books: books, length: length, scans: false, &random)
    case .zipfWithScans: Self.favourites(books: books, length: length, scans: true, &random)
    }
  }

  /// Rows of three that appear at the lower or the upper edge of a screen of seven.
  private static func flings(
    books: Int, length: Int, _ random: inout SplitMix64
  ) -> [Int] {
    let columns = 3
    let rows = (books + columns - 1) / columns
    let lastTop = max(0, rows - 7)
    var top = 0
    var requests: [Int] = []
    func appear(row: Int) {
      requests += row * columns..<min(books, (row + 1) * columns)
    }
    for row in 0..<min(7, rows) { appear(row: row) }
    while requests.count < length {
      // Exponential lengths with a mean of thirty rows; two of three flings go down.
      let distance = 1 + Int(-30 * log(1 - Double(random.fraction())))
      let goal = random.below(3) < 2 ? min(lastTop, top + distance) : max(0, top - distance)
      while top < goal {
        top += 1
        appear(row: top + 6)
      }
      while top > goal {
        top -= 1
        appear(row: top)
      }
      // A library that fits the screen has no fling, but it is opened again.
      if lastTop == 0 { for row in 0..<rows { appear(row: row) } }
    }
    return Array(requests.prefix(length))
  }

  private static func favourites(
    books: Int, length: Int, scans: Bool, _ random: inout SplitMix64
  ) -> [Int] {
    let law = ZipfLaw(ranks: books)
    var byRank = Array(0..<books)
    for rank in 0..<books { byRank.swapAt(rank, rank + random.below(books - rank)) }
    var requests: [Int] = []
    while requests.count < length {
      for _ in 0..<200 {
        requests.append(byRank[law.rank(at: Double(random.fraction()))])
      }
      guard scans else { continue }
      let start = random.below(books)
      requests += (start..<start + 100).map { $0 % books }
    }
    return Array(requests.prefix(length))
  }
}
