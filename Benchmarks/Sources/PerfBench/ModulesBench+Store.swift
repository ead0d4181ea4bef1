internal import Foundation
internal import LibraryStore
internal import PerfModel
internal import PerfRunner
internal import PerfStatistics

/// Queries of a library compared with bare SQLite statements and scans, and the cost of writes.
extension ModulesBench {
  private static let sizes = [1_000, 10_000, 50_000]
  private static let editions = 10

  func store(_ table: FigureTable) throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    var libraries: [Int: String] = [:]
    for works in Self.sizes {
      let path = workshop.file("library-\(works).sqlite")
      let library = try LibraryStore(path: path)
      try library.insert((0..<works).lazy.map(Self.book), batch: .books(5_000))
      try library.close()
      libraries[works] = path
    }
    try questions(libraries, table)
    try extras(libraries, table)
    try searches(workshop, table)
    try inserts(workshop, table)
    try launches(workshop, table)
  }

  /// Returns a book with ten editions and a user entry.
  static func book(_ index: Int) -> NewBook {
    NewBook(
      title: "The \(index * 7_919 % 50_021) Seasons of \(index)", author: "Author \(index % 997)",
      editions: (0..<editions).map { number in
        EditionDetails(
          isbn: ISBN13(firstTwelve: 978_000_000_000 + Int64(index * editions + number)),
          format: number.isMultiple(of: 3) ? .hardcover : .paperback,
          publicationDate: "\(1990 + (index + number * 7) % 30)",
          cover: number.isMultiple(of: 2) ? "\(index)-\(number).jpg" : nil, dataQuality: 50)
      },
      userEntry: UserEntryDetails(status: .read, rating: index % 6, shelves: ["fiction"]))
  }

  // MARK: - Questions

  /// A query through the library, as a bare statement, and as a scan.
  private struct Question: Sendable {
    let name: String
    let target: Double
    let bare: String
    let scan: String
    let ask: @Sendable (LibraryStore, Int64) throws -> Void
  }

  private static let questions = [
    Question(
      name: "user entry", target: 8_000, bare: "SELECT * FROM userEntry WHERE workID = ?",
      scan: "SELECT * FROM userEntry NOT INDEXED WHERE workID = ?",
      ask: { _ = try $0.userEntry(ofWork: $1) }),
    Question(
      name: "best edition", target: 8_000,
      bare: "SELECT * FROM edition WHERE workID = ? ORDER BY qualityScore DESC, id LIMIT 1",
      scan: "SELECT * FROM edition NOT INDEXED WHERE workID = ?",
      ask: { _ = try $0.bestEdition(ofWork: $1) }),
    Question(
      name: "page of 50", target: 800_000,
      bare: """
        SELECT work.id, title, author, confidence, status, rating,
          (SELECT cover FROM edition WHERE edition.workID = work.id
            ORDER BY qualityScore DESC, edition.id LIMIT 1)
        FROM (SELECT id FROM work ORDER BY title, author, id LIMIT 50 OFFSET 0 * ?) AS page
        JOIN work ON work.id = page.id LEFT JOIN userEntry ON userEntry.workID = work.id
        ORDER BY title, author, work.id
        """,
      scan: "SELECT * FROM work NOT INDEXED ORDER BY title, author, id LIMIT 50 OFFSET 0 * ?",
      ask: { library, _ in _ = try library.page(offset: 0, limit: 50) }),
  ]

  private func questions(_ libraries: [Int: String], _ table: FigureTable) throws {
    for question in Self.questions {
      var candidates: [(name: String, measure: () throws -> Double)] = []
      for (works, path) in libraries {
        let library = try LibraryStore(path: path, access: .existing)
        let bare = try BareStatement(path: path, sql: question.bare)
        let scan = try BareStatement(path: path, sql: question.scan)
        let count = question.target < 100_000 ? 2_000 : 40
        candidates += [
          ("\(works)", { try Self.time(count, works) { try question.ask(library, $0) } }),
          ("bare \(works)", { try Self.time(count, works) { _ = bare.run($0) } }),
          ("scan \(works)", { try Self.time(5, works) { _ = scan.run($0) } }),
        ]
      }
      let times = try interleaved(candidates)
      for works in Self.sizes {
        let own = times["\(works)"] ?? []
        table.add(
          "\(question.name), \(works) works",
          target: "<= \(NumberFormat.human(question.target, .time))",
          measured: try AuditSummary.text(own, .time),
          peer: "bare statement \(try AuditSummary.text(times["bare \(works)"] ?? [], .time)); "
            + "scan \(try AuditSummary.text(times["scan \(works)"] ?? [], .time))",
          isMet: own.median <= question.target)
      }
      table.add(
        "\(question.name), growth exponent from 1,000 to 50,000 works",
        measured: Self.exponent(times, ""),
        peer: "bare statement \(Self.exponent(times, "bare ")); "
          + "scan \(Self.exponent(times, "scan "))")
    }
  }

  /// Returns the mean nanoseconds of queries about works spread over the library.
  private static func time(_ count: Int, _ works: Int, _ ask: (Int64) throws -> Void) throws
    -> Double
  {
    let start = Int.random(in: 0..<works)
    let began = ContinuousClock.now
    for index in 0..<count { try ask(Int64((start + index * 7_919) % works + 1)) }
    return nanoseconds(since: began) / Double(count)
  }

  private static func nanoseconds(since began: ContinuousClock.Instant) -> Double {
    let (seconds, attoseconds) = (ContinuousClock.now - began).components
    return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
  }

  /// Returns the exponent b of a time in proportion to size^b: 0 is constant time, 1 is linear time.
  private static func exponent(_ times: [String: [Double]], _ prefix: String) -> String {
    let points = sizes.map { (log(Double($0)), log((times["\(prefix)\($0)"] ?? []).median)) }
    let x = points.map(\.0).reduce(0, +) / Double(points.count)
    let y = points.map(\.1).reduce(0, +) / Double(points.count)
    let slope =
      points.map { ($0.0 - x) * ($0.1 - y) }.reduce(0, +)
      / points.map { ($0.0 - x) * ($0.0 - x) }.reduce(0, +)
    return ProfilerBench.number(slope)
  }

  /// Measures a page in the middle, the cache and the log of slow operations.
  private func extras(_ libraries: [Int: String], _ table: FigureTable) throws {
    guard let works = Self.sizes.last, let path = libraries[works] else { return }
    let plain = try LibraryStore(path: path, access: .existing)
    let logged = try LibraryStore(
      path: path, access: .existing, slowOperations: SlowOperationLog())
    let cached = try LibraryStore(
      path: path, configuration: LibraryConfiguration(userEntry: .cached), access: .existing)
    guard let middle = try plain.page(offset: works / 2, limit: 1).first else { return }
    for work in 1...2_000 { _ = try cached.userEntry(ofWork: Int64(work)) }
    let times = try interleaved([
      ("after", { try Self.time(40, works) { _ in _ = try plain.page(after: middle, limit: 50) } }),
      (
        "offset",
        { try Self.time(40, works) { _ in _ = try plain.page(offset: works / 2, limit: 50) } }
      ),
      ("plain", { try Self.time(2_000, 2_000) { _ = try plain.userEntry(ofWork: $0) } }),
      ("logged", { try Self.time(2_000, 2_000) { _ = try logged.userEntry(ofWork: $0) } }),
      ("cached", { try Self.time(2_000, 2_000) { _ = try cached.userEntry(ofWork: $0) } }),
    ])
    table.add(
      "page of 50 after the middle book of \(works)", target: "<= 800 us",
      measured: try AuditSummary.text(times["after"] ?? [], .time),
      peer: "by its offset \(try AuditSummary.text(times["offset"] ?? [], .time))",
      isMet: (times["after"] ?? []).median <= 800_000)
    let cost = zip(times["logged"] ?? [], times["plain"] ?? []).map { $0 - $1 }
    table.add(
      "the slow-operation log, for a fast query",
      measured: try AuditSummary.text(cost, .time),
      peer: "the query without a log \(try AuditSummary.text(times["plain"] ?? [], .time))")
    table.add(
      "user entry from the cache", measured: try AuditSummary.text(times["cached"] ?? [], .time))
  }

  // MARK: - Search

  private func searches(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let path = workshop.file("search.sqlite")
    let strategies = LibraryConfiguration.SearchStrategy.allCases
    let filling = try LibraryStore(
      path: path, configuration: LibraryConfiguration(schema: .searchable))
    try filling.insert((0..<10_000).lazy.map(Self.book), batch: .all)
    try filling.close()
    let times = try interleaved(
      strategies.map { strategy in
        let library = try LibraryStore(
          path: path,
          configuration: LibraryConfiguration(schema: .searchable, search: strategy),
          access: .existing)
        var search = try library.beginSearch()
        return (
          strategy.rawValue,
          {
            let letters = Array("12 seasons")
            let began = ContinuousClock.now
            for count in 1...letters.count {
              _ = try search.results(for: String(letters[..<count]), limit: 50)
            }
            return Self.nanoseconds(since: began) / Double(letters.count)
          }
        )
      })
    for strategy in strategies {
      table.add(
        "search per letter in 10,000 works, \(strategy.rawValue)", target: "<= 100 ms",
        measured: try AuditSummary.text(times[strategy.rawValue] ?? [], .time),
        isMet: (times[strategy.rawValue] ?? []).median <= 100e6)
    }
  }

  // MARK: - Writes

  private func inserts(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let count = 500
    let batches: [(name: String, batch: InsertBatch)] = [
      ("1", .books(1)), ("100", .books(100)), ("all", .all),
    ]
    var number = 0
    var candidates: [(name: String, measure: () throws -> Double)] = []
    for journal in LibraryConfiguration.Journal.allCases {
      for (name, batch) in batches {
        candidates.append(
          (
            "\(journal.rawValue) \(name)",
            {
              number += 1
              let path = workshop.file("insert-\(number).sqlite")
              let library = try LibraryStore(
                path: path, configuration: LibraryConfiguration(journal: journal))
              let books = (0..<count).map(Self.book)
              let began = ContinuousClock.now
              try library.insert(books, batch: batch)
              let time = Self.nanoseconds(since: began)
              try library.close()
              try FileManager.default.removeItem(atPath: path)
              return time / Double(count)
            }
          ))
      }
    }
    let times = try interleaved(candidates, rounds: min(rounds, 5))
    for journal in LibraryConfiguration.Journal.allCases {
      table.add(
        "insertion of a book of ten editions, journal \(journal.rawValue), batches of 1, 100 and all",
        measured: try batches.map { batch in
          try AuditSummary.text(times["\(journal.rawValue) \(batch.name)"] ?? [], .time)
        }.joined(separator: "; "))
    }
  }

  /// Measures the import, the migration and the cost of the stored score in fresh processes.
  private func launches(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let setting = BenchWorkshop.Setting(name: "plain")
    func launch(
      _ workload: String, _ parameters: Parameters, _ names: [String]
    ) throws -> [String: [Double]] {
      var values: [String: [Double]] = [:]
      for _ in 0..<min(rounds, 6) {
        let metrics = try workshop.launch(
          workload, worker: "BookWorkloads", parameters: parameters, setting: setting
        ).launch.metrics
        for name in names { values[name, default: []].append(metrics[name] ?? .nan) }
      }
      return values
    }
    let own = try launch("book.import", [:], ["import.time", MetricName.rssPeak])
    let rows = try launch(
      "book.import",
      [
        "batch": .int(1), "journal": .string("rollback"), "synchronous": .string("full"),
      ], ["import.time", MetricName.rssPeak])
    for (name, target, dimension) in [
      ("import.time", 1.5e9, PerfModel.Dimension.time), (MetricName.rssPeak, 60e6, .size),
    ] {
      let values = own[name] ?? []
      table.add(
        "import of 10,000 books from CSV, \(name)",
        target: "<= \(NumberFormat.human(target, dimension))",
        measured: try AuditSummary.text(values, dimension),
        peer: "one commit per book \(try AuditSummary.text(rows[name] ?? [], dimension))",
        isMet: values.median <= target)
    }
    let names = ["store.update_bytes", "store.migration_time", "store.migration_longest"]
    let variants: [(name: String, parameters: Parameters)] = [
      ("no score", ["best": .string("recomputed"), "queries": .string("unindexed")]),
      ("stored", ["best": .string("stored"), "queries": .string("unindexed")]),
      ("covering index", [:]),
    ]
    let values = try variants.map { try launch("book.editions", $0.parameters, names) }
    table.add(
      "bytes written for a changed edition",
      measured: zip(variants, values).map { variant, values in
        "\(variant.name) \(NumberFormat.human((values[names[0]] ?? []).median, .size))"
      }.joined(separator: "; "))
    table.add(
      "storing the scores of 10,000 existing editions",
      measured: try AuditSummary.text(values[2][names[1]] ?? [], .time),
      peer: "its longest transaction \(try AuditSummary.text(values[2][names[2]] ?? [], .time))")
  }
}
