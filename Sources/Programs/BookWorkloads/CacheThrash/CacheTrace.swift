internal import CoverCache
internal import Glibc

/// The order of the requests for covers.
enum CacheTrace: String, CaseIterable {
  /// From the first book to the last, repeatedly; the worst case of an LRU cache.
  case cyclic
  /// In the order of display while a reader flings up and down.
  case fling
  /// A few books often and most books rarely (Zipf's law, exponent 0.9).
  case zipf
  /// Zipf's law, with a scan of a hundred neighbouring books after every two hundred requests.
  case zipfWithScans = "zipf-scans"

  /// Generates the requested books.
  ///
  /// - Parameters:
  ///   - books: The number of books, at least 1.
  ///   - length: The number of requests.
  ///   - seed: The seed of the random traces.
  /// - Returns: The numbers of the books, from 0.
  func requests(books: Int, length: Int, seed: UInt64) -> [Int] {
    var random = SplitMix64(seed: seed, stream: 0xCAC4E)
    return switch self {
    case .cyclic: (0..<length).map { $0 % books }
    case .fling: Self.flings(books: books, length: length, &random)
    case .zipf: Self.favourites(books: books, length: length, scans: false, &random)
    case .zipfWithScans: Self.favourites(books: books, length: length, scans: true, &random)
    }
  }

  /// Returns the rows of three books that appear at the edges of a screen of seven rows.
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
      // Distances are exponentially distributed with a mean of 30 rows; two of three flings go
      // down.
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
      // A library that fits on the screen cannot be flung; it is opened again instead.
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
