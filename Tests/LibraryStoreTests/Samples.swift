import LibraryStore

/// Configurations from the first version to the last one.
let ladder: [LibraryConfiguration] = [
  .naive,
  LibraryConfiguration(schema: .scored, bestEdition: .storedScore),
  LibraryConfiguration(schema: .indexed, bestEdition: .recomputed),
  .optimised,
  LibraryConfiguration(journal: .rollback),
]

/// Returns books whose titles sort like their numbers.
func sampleBooks(_ count: Int) -> [NewBook] {
  (0..<count).map { index in
    let editions = (0...(index % 3)).map { number in
      EditionDetails(
        isbn: ISBN13(firstTwelve: 978_100_000_000 + Int64(index * 10 + number)),
        format: BookFormat.allCases[(index + number) % 5],
        publicationDate: "\(1995 + (index * 7 + number * 11) % 30)",
        cover: number.isMultiple(of: 2) ? "\(index)-\(number).jpg" : nil,
        dataQuality: (index * 31 + number * 17) % 101)
    }
    let entry = UserEntryDetails(
      status: .read, rating: index % 6, shelves: ["a", "b"], addedSeconds: Int64(index))
    return NewBook(
      title: "Title \(10_000 + index)", author: "Author", confidence: 0.9, editions: editions,
      userEntry: index.isMultiple(of: 4) ? nil : entry)
  }
}

/// The fixture of the case study: fifty editions, every third a hardcover, years 2020 to 2024,
/// every second one with a cover.
let fiftyEditions = NewBook(
  title: "Performance Test Book", author: "Nobody",
  editions: (1...50).map { number in
    EditionDetails(
      format: number.isMultiple(of: 3) ? .hardcover : .paperback,
      publicationDate: "202\(number % 5)-01-01",
      cover: number.isMultiple(of: 2) ? "\(number).jpg" : nil)
  })
