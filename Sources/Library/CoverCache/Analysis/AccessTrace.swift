internal import Glibc

/// The order in which books are requested: the traces on which eviction policies are compared.
///
/// A trace knows no screen: each book that a scroll passes is requested, also if it was just
/// visible.
public enum AccessTrace: String, CaseIterable, Sendable {
  /// From the first book to the last, repeatedly: the worst case for an LRU cache.
  case cyclic
  /// From the first book to the last and back, repeatedly.
  case roundTrips = "round-trips"
  /// Flings of random lengths up and down; each passed book is requested.
  case fling
  /// A few favourites often, most books rarely: Zipf's law with exponent 0.9.
  case zipf
  /// The Zipf trace with regular scans of 100 neighbouring books.
  case zipfWithScans = "zipf-scans"

  /// Returns the indices of the requested books in order; there is at least one book.
  public func requests(books: Int, length: Int, seed: UInt64) -> [Int] {
    var random = SeededRandom(seed: seed)
    return switch self {
    case .cyclic: (0..<length).map { $0 % books }
    case .roundTrips: (0..<length).map { Self.roundTrip($0 % (2 * books), books) }
    case .fling: Self.flings(books: books, length: length, &random)
    case .zipf: Self.favourites(books: books, length: length, scan: 0, &random)
    case .zipfWithScans: Self.favourites(books: books, length: length, scan: 100, &random)
    }
  }

  private static func roundTrip(_ step: Int, _ books: Int) -> Int {
    step < books ? step : 2 * books - 1 - step
  }

  /// The mean length of a fling in books; lengths are exponential and half of the flings go up.
  private static let meanFling = 55.0

  private static func flings(books: Int, length: Int, _ random: inout SeededRandom) -> [Int] {
    var position = 0
    var requests = [0]
    while requests.count < length {
      let distance = 1 + Int(-meanFling * log(1 - random.unit()))
      let isDown = random.below(2) == 0
      let goal = isDown ? min(books - 1, position + distance) : max(0, position - distance)
      if goal == position, books == 1 { requests.append(0) }
      while position != goal {
        position += isDown ? 1 : -1
        requests.append(position)
      }
    }
    return Array(requests.prefix(length))
  }

  /// The number of requests between two scans.
  private static let opensBetweenScans = 40

  private static func favourites(
    books: Int, length: Int, scan: Int, _ random: inout SeededRandom
  ) -> [Int] {
    let law = ZipfLaw(ranks: books, exponent: 0.9)
    var byRank = Array(0..<books)
    for rank in 0..<books { byRank.swapAt(rank, rank + random.below(books - rank)) }
    var requests: [Int] = []
    while requests.count < length {
      for _ in 0..<opensBetweenScans {
        requests.append(byRank[law.rank(at: random.unit())])
      }
      guard scan > 0 else { continue }
      let start = random.below(books)
      requests += (start..<start + scan).map { $0 % books }
    }
    return Array(requests.prefix(length))
  }
}
