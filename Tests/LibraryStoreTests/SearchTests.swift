import LibraryStore
import PerfTestSupport
import Testing

struct `Search` {
  typealias Strategy = LibraryConfiguration.SearchStrategy

  static let books = [
    ("The Left Hand of Darkness", "Ursula K. Le Guin"), ("Émile, or On Education", "Rousseau"),
    ("Les Misérables", "Victor Hugo"), ("L'Étranger", "Albert Camus"),
    ("Nineteen Eighty-Four", "George Orwell"), ("1984: A Reader", "Nobody"),
    ("Преступление и наказание", "Достоевский"), ("İstanbul", "Orhan Pamuk"),
    ("The \"Best\" of Times* OR NOT", "A-B (C)"), ("Ängstliche Öfen", "Übermann"),
    ("Hand to Hand", "Lefty Smith"), ("Άξιον Εστί", "Οδυσσέας Ελύτης"),
  ].map { NewBook(title: $0.0, author: $0.1, editions: []) }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func library(_ strategy: Strategy, _ books: [NewBook] = books) throws -> LibraryStore {
    let library = try LibraryStore(
      path: folder("\(strategy).sqlite"),
      configuration: LibraryConfiguration(schema: .searchable, search: strategy))
    try library.insert(books)
    return library
  }

  @Test(
    arguments: Strategy.allCases,
    [
      ("hand", ["Hand to Hand", "The Left Hand of Darkness"]), ("emi", ["Émile, or On Education"]),
      ("ÉTRANG", ["L'Étranger"]), ("étrang", ["L'Étranger"]), ("left sm", ["Hand to Hand"]),
      // "Lefty" begins with "left", "Darkness" does not begin with "ark".
      ("LEFT", ["Hand to Hand", "The Left Hand of Darkness"]), ("ark", []),
      ("198", ["1984: A Reader"]), ("eighty-four", ["Nineteen Eighty-Four"]),
      ("прес", ["Преступление и наказание"]), ("άξι", ["Άξιον Εστί"]),
      ("angst of", ["Ängstliche Öfen"]),
      ("best\" OR not*", ["The \"Best\" of Times* OR NOT"]), ("zzz", []),
    ])
  func `a search matches prefixes of words`(strategy: Strategy, query: (String, [String])) throws {
    var search = try library(strategy).beginSearch()
    #expect(try search.results(for: query.0).map(\.title) == query.1)
  }

  @Test(arguments: Strategy.allCases, ["", "  ", "-*\"'"])
  func `a text without words matches every book`(strategy: Strategy, text: String) throws {
    var search = try library(strategy).beginSearch()
    #expect(try search.results(for: text).count == Self.books.count)
    #expect(try search.results(for: text, limit: 3).count == 3)
  }

  /// Titles of few syllables, so that most queries match some.
  @Test func `all strategies give the same results for any typing`() throws {
    var random = SampleRandom(seed: 5)
    let syllables = ["ba", "bé", "lo", "LU", "sto", "ría", "x1"]
    func word() -> String {
      (0..<Int.random(in: 1...3, using: &random))
        .map { _ in syllables.randomElement(using: &random) ?? "" }.joined()
    }
    let books = (0..<300).map { _ in
      NewBook(
        title: (0..<Int.random(in: 1...4, using: &random)).map { _ in word() }
          .joined(separator: [" ", "-", ", "].randomElement(using: &random) ?? " "),
        author: "\(word()) \(word())", editions: [])
    }
    var searches = try Strategy.allCases.map { try library($0, books).beginSearch() }
    var found = 0
    for _ in 0..<40 {
      let text = "\(word()) \(word().prefix(2))"
      // Each prefix is typed, then the next text replaces it.
      for length in 1...text.count {
        let typed = String(text.prefix(length))
        let answers = try searches.indices.map { try searches[$0].results(for: typed, limit: 20) }
        for answer in answers { #expect(answer == answers[0], "'\(typed)'") }
        found += answers[0].count
      }
    }
    #expect(found > 1_000)
  }

  @Test(arguments: [Strategy.refetch, .fullText])
  func `a search finds changed titles`(strategy: Strategy) throws {
    let library = try library(strategy, sampleBooks(5))
    var book = sampleBooks(5)[1]
    book.title = "Changed"
    try library.upsert([book])
    var search = try library.beginSearch()
    #expect(try search.results(for: "chan").map(\.title) == ["Changed"])
    #expect(try search.results(for: "title").count == 4)
    #expect(try search.results(for: "10001").isEmpty)
  }

  @Test func `migrating an older library builds its full-text index`() throws {
    let path = folder("old.sqlite")
    let old = try LibraryStore(path: path, configuration: .naive)
    try old.insert(Self.books)
    try old.close()
    let new = try LibraryStore(
      path: path, configuration: LibraryConfiguration(schema: .searchable))
    var search = try new.beginSearch()
    #expect(try search.results(for: "hugo").map(\.title) == ["Les Misérables"])
  }
}
