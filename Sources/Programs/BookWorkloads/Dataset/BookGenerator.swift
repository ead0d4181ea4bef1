internal import LibraryStore

/// Generates the books of a library; equal seeds yield equal books.
///
/// Each book has an independent random sequence, so the first hundred books are the same in
/// libraries of every size.
struct BookGenerator {
  let seed: UInt64

  /// The distribution of the number of editions: most books have one or two, some up to fifty.
  private static let editionCounts: [(percent: Int, range: ClosedRange<Int>)] = [
    (55, 1...1), (20, 2...3), (12, 4...6), (8, 7...12), (4, 13...25), (1, 26...50),
  ]

  /// Returns the file name of a book's cover.
  static func coverName(of index: Int) -> String {
    let digits = String(index)
    return String(repeating: "0", count: max(0, 5 - digits.count)) + digits + ".jpg"
  }

  /// Returns the book with an index, from 0.
  ///
  /// `count` is the number of editions, 1 to 50; nil draws it.
  func book(_ index: Int, editions count: Int? = nil, cover: String) -> NewBook {
    var random = SplitMix64(seed: seed, stream: UInt64(index) << 1)
    let title = BookWords.title(&random)
    let author = BookWords.author(&random)
    return NewBook(
      title: title, author: author, confidence: Self.confidence(&random),
      editions: editions(count, of: index, cover: cover, &random),
      userEntry: Self.userEntry(&random))
  }

  /// Returns a high confidence in 80 of 100 cases, a medium one in 15 and a low one in 5.
  private static func confidence(_ random: inout SplitMix64) -> Double {
    let percent =
      switch random.weighted([80, 15, 5]) {
      case 0: random.of(80...99)
      case 1: random.of(50...79)
      default: random.of(10...49)
      }
    return Double(percent) / 100
  }

  private static func editionCount(_ random: inout SplitMix64) -> Int {
    let kind = random.weighted(editionCounts.map(\.percent))
    return random.of(editionCounts[kind].range)
  }

  private func editions(
    _ count: Int?, of index: Int, cover: String, _ random: inout SplitMix64
  ) -> [EditionDetails] {
    let count = count ?? Self.editionCount(&random)
    var editions = (0..<count).map { number in
      EditionDetails(
        isbn: isbn(index * 50 + number),
        format: random.of([.hardcover, .paperback, .paperback, .ebook, .audiobook]),
        publicationDate: date(&random),
        cover: random.below(100) < 60 ? cover : nil,
        dataQuality: random.below(100) < 80 ? random.of(30...100) : nil)
    }
    // The displayed edition always has a cover, because a list of placeholders would test nothing.
    let best = editions.indices.max { editions[$0].qualityScore < editions[$1].qualityScore }
    if let best { editions[best].cover = cover }
    return editions
  }

  /// Returns a unique ISBN for each edition of a data set.
  ///
  /// The multiplier, a power of three, has no common factor with 10^9.
  private func isbn(_ number: Int) -> ISBN13? {
    let scattered = (number * 387_420_489 + Int(seed % 1_000_000_000)) % 1_000_000_000
    return ISBN13(firstTwelve: 978_000_000_000 + Int64(scattered))
  }

  private func date(_ random: inout SplitMix64) -> String {
    let year = random.of(random.below(100) < 70 ? 2000...2025 : 1950...1999)
    guard random.below(100) < 60 else { return String(year) }
    let month = random.of(1...12)
    let day = random.of(1...28)
    return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
  }

  private static func userEntry(_ random: inout SplitMix64) -> UserEntryDetails? {
    guard random.below(100) < 90 else { return nil }
    let status = [ReadingStatus.read, .toRead, .reading][random.weighted([60, 35, 5])]
    let shelves = ["fiction", "favourites", "essays", "borrowed", "travel"]
    return UserEntryDetails(
      status: status, rating: status == .read ? random.of(0...5) : 0,
      shelves: (0..<random.below(3)).map { _ in random.of(shelves) },
      // A time from 2015 to 2025.
      addedSeconds: Int64(1_420_070_400 + random.below(315_360_000)))
  }
}
