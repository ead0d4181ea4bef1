import GRDB
import PerfTestSupport
import Testing

@testable import LibraryStore

/// A library in plain arrays, with which every strategy is compared.
private struct ReferenceLibrary {
  struct Work {
    var book: NewBook
    /// Editions with their row numbers.
    var editions: [(id: Int64, details: EditionDetails)]
  }

  var works: [Work] = []
  private var editionCount: Int64 = 0

  mutating func insert(_ book: NewBook) {
    works.append(Work(book: book, editions: []))
    for edition in book.editions { add(edition, to: works.count - 1) }
  }

  private mutating func add(_ edition: EditionDetails, to work: Int) {
    editionCount += 1
    works[work].editions.append((editionCount, edition))
  }

  mutating func upsert(_ book: NewBook) {
    let numbers = book.editions.compactMap(\.isbn)
    let known = works.firstIndex { work in
      numbers.isEmpty
        ? work.book.title == book.title && work.book.author == book.author
        : work.editions.contains { edition in
          edition.details.isbn.map { numbers.contains($0) } ?? false
        }
    }
    guard let known else { return insert(book) }
    works[known].book.title = book.title
    works[known].book.author = book.author
    works[known].book.confidence = book.confidence
    if let entry = book.userEntry { works[known].book.userEntry = entry }
    for edition in book.editions where edition.isbn != nil {
      if let place = works[known].editions.firstIndex(where: { $0.details.isbn == edition.isbn }) {
        works[known].editions[place].details = edition
      } else {
        add(edition, to: known)
      }
    }
  }

  func best(_ work: Int) -> EditionDetails? {
    var best: EditionDetails?
    for (_, details) in works[work].editions
    where best.map({ details.qualityScore > $0.qualityScore }) ?? true {
      best = details
    }
    return best
  }

  /// The works in display order.
  var order: [Int] {
    works.indices.sorted { first, second in
      let one = works[first].book
      let other = works[second].book
      return (one.title, one.author, first) < (other.title, other.author, second)
    }
  }
}

struct `Library and its model` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let configurations =
    ladder + [
      LibraryConfiguration(userEntry: .cached),
      LibraryConfiguration(schema: .searchable, userEntry: .fetchAll),
      LibraryConfiguration(schema: .scored, userEntry: .fetchAll, bestEdition: .storedScore),
      LibraryConfiguration(journal: .memory, synchronous: .off),
    ]

  func randomBook(_ random: inout SampleRandom) -> NewBook {
    let number = Int.random(in: 0..<40, using: &random)
    // The first edition's ISBN is unique to a number's book, so no upsert meets editions of two
    // works.
    let editions = (0..<Int.random(in: 0...3, using: &random)).map { edition in
      EditionDetails(
        isbn: edition == 0 || random.chance(0.8)
          ? ISBN13(firstTwelve: 978_200_000_000 + Int64(number * 10 + edition)) : nil,
        format: BookFormat.allCases.randomElement(using: &random) ?? .other,
        publicationDate: "\(Int.random(in: 1990...2010, using: &random))",
        cover: random.chance(0.5) ? "\(number).jpg" : nil,
        dataQuality: random.chance(0.5) ? Int.random(in: 60...100, using: &random) : nil)
    }
    return NewBook(
      title: "T\(number / 4)", author: "A\(number)",
      confidence: Double(Int.random(in: 0...10, using: &random)) / 10, editions: editions,
      userEntry: random.chance(0.5) ? randomEntry(&random) : nil)
  }

  func randomEntry(_ random: inout SampleRandom) -> UserEntryDetails {
    UserEntryDetails(
      status: ReadingStatus.known.randomElement(using: &random) ?? .read,
      rating: Int.random(in: 0...5, using: &random), shelves: random.chance(0.5) ? ["s"] : [],
      addedSeconds: Int64.random(in: 0...1_000, using: &random))
  }

  @Test(arguments: configurations, [1, 2])
  func `every configuration matches the model after random changes`(
    configuration: LibraryConfiguration, seed: UInt64
  ) throws {
    var random = SampleRandom(seed: seed)
    var model = ReferenceLibrary()
    let library = try LibraryStore(path: folder("library.sqlite"), configuration: configuration)
    for round in 0..<25 {
      let books = (0..<Int.random(in: 1...5, using: &random)).map { _ in randomBook(&random) }
      try library.upsert(books, batch: .books(Int.random(in: 1...4, using: &random)))
      for book in books { model.upsert(book) }
      let work = Int.random(in: model.works.indices, using: &random)
      let entry = random.chance(0.8) ? randomEntry(&random) : nil
      #expect(try library.setUserEntry(entry, ofWork: Int64(work + 1)))
      model.works[work].book.userEntry = entry
      let other = Int.random(in: model.works.indices, using: &random)
      if let place = model.works[other].editions.indices.randomElement(using: &random) {
        model.works[other].editions[place].details.cover = random.chance(0.5) ? "new.jpg" : nil
        let (id, details) = model.works[other].editions[place]
        var edition = try #require(
          try library.editions(ofWork: Int64(other + 1)).first { $0.id == id })
        edition.details = details
        #expect(try library.update([edition]) == 1)
      }
      try compare(library, model, "round \(round)")
    }
    try library.verify()
    #expect(try library.staleUserEntries().isEmpty)
  }

  private func compare(
    _ library: LibraryStore, _ model: ReferenceLibrary, _ round: Comment
  ) throws {
    #expect(try library.count() == model.works.count, round)
    #expect(try library.isEmpty() == model.works.isEmpty, round)
    for (index, work) in model.works.enumerated() {
      let id = Int64(index + 1)
      #expect(try library.userEntry(ofWork: id)?.details == work.book.userEntry, round)
      #expect(try library.bestEdition(ofWork: id)?.details == model.best(index), round)
      #expect(
        try library.editions(ofWork: id).map(\.details) == work.editions.map(\.details), round)
    }
    let rows = try library.page(offset: 0, limit: .max)
    #expect(rows.map(\.workID) == model.order.map { Int64($0 + 1) }, round)
    for (row, index) in zip(rows, model.order) {
      let book = model.works[index].book
      #expect(
        row
          == BookRow(
            workID: Int64(index + 1), title: book.title, author: book.author,
            confidence: book.confidence, cover: model.best(index)?.cover,
            status: book.userEntry?.status, rating: book.userEntry?.rating ?? 0), round)
    }
    var pages: [BookRow] = []
    while true {
      let next =
        try pages.last.map { row in try library.page(after: row, limit: 7) }
        ?? library.page(offset: 0, limit: 7)
      if next.isEmpty { break }
      pages += next
    }
    #expect(pages == rows, round)
  }
}
