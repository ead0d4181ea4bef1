import LibraryStore
import PerfTestSupport
import PerfWorkload
import Synchronization
import Testing

@testable import BookWorkloads

struct StoreWorkloadTests {
  typealias Values = [String: ParameterValue]

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Sets up a workload, measures it once and returns its counters.
  func run<Subject: Workload>(_: Subject.Type, _ given: Values) throws -> [String: Double] {
    let parameters = try ParameterValues(given, of: Subject.parameters)
    let counters = try WorkloadRun(
      Subject.self, parameters, in: folder, scratch: TemporaryFolder()
    ).counters
    #expect(Set(counters.keys).isSubset(of: Set(Subject.counters.map(\.name))))
    return counters
  }

  // MARK: - Queries

  static let queryVariants: [Values] = [
    [
      "lookup": .string("fetch-all"), "queries": .string("unindexed"),
      "existence": .string("fetch-all"), "entries": .int(3),
    ],
    ["lookup": .string("scan"), "queries": .string("unindexed")],
    ["lookup": .string("cached"), "queries": .string("unindexed")],
    ["lookup": .string("cached-manually"), "queries": .string("unindexed")],
    ["lookup": .string("indexed"), "queries": .string("unindexed")],
    ["logged": .bool(false)],
    [:],
  ]

  @Test(arguments: queryVariants)
  func `pages of works are opened in every variant`(variant: Values) throws {
    let small: Values = ["works": .int(100), "views": .int(10), "changes": .int(3)]
    let counters = try run(StoreQuery.self, variant.merging(small) { $1 })
    // Without timing, slow queries are not counted.
    let isLogged = variant["logged"] == nil
    #expect(counters.keys.contains("store.slow_operations") == isLogged)
    #expect(counters.count == StoreQuery.counters.count - (isLogged ? 0 : 1))
    for name in ["detail", "user_entry", "best_edition", "existence"] {
      #expect((counters["store.\(name)_time"] ?? 0) > 0)
    }
    // Each changed note was read before; only an answer from memory can be outdated.
    let isCached = variant["lookup"].map { "\($0)".contains("cached") } ?? false
    #expect(counters["store.stale_answers"] == (isCached ? 3 : 0))
  }

  // MARK: - Editions

  @Test(arguments: [
    ("recomputed", "unindexed"), ("recomputed", "indexed"), ("stored", "unindexed"),
    ("stored", "indexed"), ("covering-index", "indexed"),
  ])
  func `best editions are found in every variant`(best: String, queries: String) throws {
    let counters = try run(
      EditionScore.self,
      [
        "works": .int(100), "editions": .int(3), "books": .int(20), "scrolls": .int(2),
        "updates": .int(20), "best": .string(best), "queries": .string(queries),
      ])
    #expect(counters.count == EditionScore.counters.count)
    #expect(counters.values.allSatisfy { $0 > 0 })
  }

  /// The test runs in a separate process, because written bytes are counted per process.
  @Test func `a stored score and its index cost written bytes at each change`() async {
    await #expect(processExitsWith: .success) {
      let suite = try StoreWorkloadTests()
      func bytes(_ best: String, _ queries: String) throws -> Double {
        try #require(
          try suite.run(
            EditionScore.self,
            [
              "works": .int(200), "scrolls": .int(1), "updates": .int(200), "best": .string(best),
              "queries": .string(queries),
            ])["store.update_bytes"])
      }
      let plain = try bytes("recomputed", "unindexed")
      let indexed = try bytes("covering-index", "indexed")
      // The index by score contains an entry per edition, which moves when the score changes.
      #expect(indexed > plain * 1.2)
    }
  }

  // MARK: - Import

  static let importVariants: [(Values, Int)] = [
    (["batch": .int(1), "journal": .string("rollback"), "synchronous": .string("full")], 60),
    ([:], 60), (["batch": .int(0)], 60), (["queries": .string("unindexed")], 60),
    (["source": .string("recognition")], 60),
  ]

  @Test(arguments: importVariants)
  func `every import variant fills the library`(variant: Values, books: Int) throws {
    let counters = try run(BulkImport.self, variant.merging(["books": .int(books)]) { $1 })
    #expect(counters["import.books"] == Double(books))
    #expect((counters["import.time"] ?? 0) > 0)
    #expect((counters["import.written_bytes"] ?? 0) > 0)
  }

  // 2,000 draws of 0.8, 0.15 and 0.05: four standard deviations are 0.036, 0.032 and 0.019.
  @Test func `recognised books have the case study's distribution of confidence`() throws {
    let counters = try run(
      BulkImport.self, ["source": .string("recognition"), "books": .int(2_000)])
    let high = try #require(counters["import.high_confidence"])
    let medium = try #require(counters["import.medium_confidence"])
    let low = try #require(counters["import.low_confidence"])
    #expect(abs(high - 0.8) < 0.036)
    #expect(abs(medium - 0.15) < 0.032)
    #expect(abs(low - 0.05) < 0.019)
    #expect(abs(high + medium + low - 1) < 1e-9)
  }

  static let ownExport = """
    Title,Author,ISBN13,My Rating
    A,X,,1
    B,X,,9
    C,X,,2
    D,X,,3

    """

  @Test func `an import of the user's export skips malformed rows on request`() throws {
    let csv = try folder.write(Self.ownExport, to: "own.csv")
    #expect(throws: DatasetError.self) { try run(BulkImport.self, ["csv": .string(csv)]) }
    let warnings = Mutex<[String]>([])
    let parameters = try ParameterValues(
      ["csv": .string(csv), "rows": .string("skip")], of: BulkImport.parameters)
    let setup = try BulkImport.setup(
      SetupContext(
        parameters: parameters, seed: 7, cacheDirectory: folder("cache"),
        warning: { warning in warnings.withLock { $0.append("\(warning)") } }))
    #expect(setup.files == [csv])
    #expect(setup.notes["books"] == "3")
    let found = warnings.withLock { $0 }
    #expect(found.count == 2)
    #expect(found.first?.contains("row 3, line 3:6: ") == true)
    let counters = try run(BulkImport.self, ["csv": .string(csv), "rows": .string("skip")])
    #expect(counters["import.books"] == 3)
    #expect(counters["import.skipped_rows"] == 1)
  }

  @Test func `an import of the user's export ends after the number of books`() throws {
    let csv = try folder.write(Self.ownExport, to: "own.csv")
    let counters = try run(
      BulkImport.self, ["csv": .string(csv), "rows": .string("skip"), "books": .int(2)])
    #expect(counters["import.books"] == 2)
  }

  @Test func `an import of an export yields the exported books`() throws {
    let path = try folder.write(GoodreadsFile.text(books: 200, seed: 3), to: "export.csv")
    var export = try BookExport(path: path)
    let generator = BookGenerator(seed: 3)
    for index in 0..<200 {
      let book = generator.book(index, cover: "")
      let read = try #require(try export.next())
      #expect(read.title == book.title)
      #expect(read.author == book.author)
      #expect(read.editions.first?.isbn == book.editions.first?.isbn)
      #expect(read.userEntry?.rating == book.userEntry?.rating ?? 0)
      #expect(read.userEntry?.shelves == book.userEntry?.shelves ?? [])
    }
    #expect(try export.next() == nil)
  }

  // MARK: - Search

  @Test func `every search finds the same books`() throws {
    var found: [Double?] = []
    for search in ["refetch", "in-memory", "full-text"] {
      let counters = try run(
        FilterScroll.self,
        [
          "works": .int(300), "titles": .int(1), "interval": .int(10), "search": .string(search),
        ])
      #expect((counters["search.keystroke_longest"] ?? 0) > 0)
      #expect((counters["search.begin_time"] ?? 0) > 0)
      #expect((counters["search.keystrokes"] ?? 0) > 0)
      found.append(counters["search.results"])
    }
    #expect((found[0] ?? 0) >= 1)
    #expect(Set(found).count == 1)
  }

  @Test func `an existing library is not created again`() throws {
    let dataset = StoreDataset(works: 100, editions: 2, seed: 1, cache: folder("cache"))
    try dataset.prepare(.indexed, report: DatasetReport())
    let path = dataset.libraryPath(.indexed)
    let notes = UserEntryDetails(status: .read, shelves: ["a mark"])
    let library = try LibraryStore(path: path)
    try library.setUserEntry(notes, ofWork: 1)
    try library.close()
    try dataset.prepare(.indexed, report: DatasetReport())
    #expect(try LibraryStore(path: path).userEntry(ofWork: 1)?.details == notes)
  }
}
