internal import Foundation
internal import LibraryStore

extension BookDataset {
  /// Creates the missing parts of a data set and checks the existing ones.
  ///
  /// If two processes prepare the same data set, one waits for the other. An error keeps the
  /// complete parts.
  ///
  /// - Returns: The number of books.
  @discardableResult
  func prepare(
    schemas: [LibrarySchema], report: DatasetReport = DatasetReport()
  ) throws(DatasetError) -> Int {
    try makeFolder(folder)
    return try withLock(on: folder) { () throws(DatasetError) in
      let books = try request.isUsersOwn ? usersBooks(report) : madeUpBooks(report)
      for schema in schemas { try makeLibrary(schema, of: books, report: report) }
      return books.list.count
    }
  }

  // MARK: - Books

  /// The books of a data set and a fingerprint that changes with them.
  private struct Books {
    var list: [NewBook]
    var identity: String
  }

  private func madeUpBooks(_ report: DatasetReport) throws(DatasetError) -> Books {
    try makeCovers(request.books, report)
    return Books(list: generated(request.books), identity: name)
  }

  private func generated(_ count: Int) -> [NewBook] {
    let generator = BookGenerator(seed: request.seed)
    return (0..<count).map { generator.book($0, cover: BookGenerator.coverName(of: $0)) }
  }

  private func makeCovers(_ count: Int, _ report: DatasetReport) throws(DatasetError) {
    guard let madeUpCovers else { return }
    try makeFolder(madeUpCovers)
    let collection = CoverCollection(folder: madeUpCovers, seed: request.seed, sizes: request.sizes)
    // A library of the user has a separate folder and lock but shares these covers.
    try withLock(on: madeUpCovers) { () throws(DatasetError) in
      try collection.complete(upTo: count) { report.progress("covers", $0, $1) }
    }
  }

  /// Replaces generated covers and books by the user's; either may be missing.
  private func usersBooks(_ report: DatasetReport) throws(DatasetError) -> Books {
    let covers = try usersCovers(report)
    var books: [NewBook]
    if let export = request.export {
      books = try UserExport(path: export, rows: request.rows, limit: request.books)
        .books(report)
      if books.count < request.books {
        report.warn(.fewerBooks(books.count, wanted: request.books))
      }
    } else {
      let found = covers?.count ?? 0
      books = generated(min(request.books, found))
      let folder = request.coversFolder ?? ""
      if found > request.books {
        report.warn(.coversLeftOut(limit: request.books, in: folder))
      } else if found < request.books {
        report.warn(.fewerCovers(found, wanted: request.books, in: folder))
      }
    }
    try makeCovers(books.count, report)
    for index in books.indices {
      let cover = covers.map { $0[index % $0.count] } ?? BookGenerator.coverName(of: index)
      for edition in books[index].editions.indices
      where request.export != nil || books[index].editions[edition].cover != nil {
        books[index].editions[edition].cover = cover
      }
    }
    let exportState = request.export.flatMap { fileState(at: $0) }
    let parts =
      (covers ?? []) + [
        exportState.map { "\($0)" } ?? "none", name, request.rows.rawValue,
        "\(DatasetRequest.importVersion)",
      ]
    return Books(list: books, identity: checksum(of: parts.joined(separator: "\0").utf8))
  }

  private func usersCovers(_ report: DatasetReport) throws(DatasetError) -> [String]? {
    guard let folder = request.coversFolder else { return nil }
    let path = "\(self.folder)/covers.json"
    let earlier = (try? Data(contentsOf: URL(fileURLWithPath: path))).flatMap {
      try? JSONDecoder().decode(UserCovers.self, from: $0)
    }
    let covers = try UserCovers(folder: folder, earlier: earlier) {
      report.progress("covers", $0, $1)
    }
    if covers != earlier, let data = try? JSONEncoder().encode(covers) {
      try writeWhole([UInt8](data), to: path)
    }
    let skipped = covers.skipped
    if !skipped.isEmpty {
      report.warn(.skippedCovers(skipped, of: covers.files.count, in: folder))
    }
    if covers.leftOut > 0 { report.warn(.coversNotRead(covers)) }
    return covers.usable
  }

  // MARK: - Libraries

  /// Creates the library of a schema unless a complete one with the same books exists.
  private func makeLibrary(
    _ schema: LibrarySchema, of books: Books, report: DatasetReport
  ) throws(DatasetError) {
    let path = libraryPath(schema)
    let stamp = "\(path).identity"
    let count = books.list.count
    let configuration = LibraryConfiguration(schema: schema, bestEdition: .recomputed)
    let known = (try? Data(contentsOf: URL(fileURLWithPath: stamp))).map {
      String(decoding: $0, as: UTF8.self)
    }
    if known == books.identity, Self.isWhole(path, configuration, count: count) { return }
    report.progress("library", 0, count)
    try? FileManager.default.removeItem(atPath: stamp)
    try Self.writeLibrary(books.list, to: path, configuration)
    try writeWhole([UInt8](books.identity.utf8), to: stamp)
    report.progress("library", count, count)
  }

  static func isWhole(
    _ path: String, _ configuration: LibraryConfiguration, count: Int
  ) -> Bool {
    do throws(LibraryError) {
      let library = try LibraryStore(path: path, configuration: configuration, access: .existing)
      try library.verify()
      let found = try library.count()
      try library.close()
      return found == count
    } catch {
      return false
    }
  }

  static func writeLibrary(
    _ books: some Sequence<NewBook>, to path: String, _ configuration: LibraryConfiguration
  ) throws(DatasetError) {
    let temporary = "\(path).tmp"
    for file in [temporary, path].flatMap({ [$0, "\($0)-wal", "\($0)-shm"] }) {
      try? FileManager.default.removeItem(atPath: file)
    }
    do {
      let library = try LibraryStore(path: temporary, configuration: configuration)
      try library.insert(books, batch: .all)
      try library.close()
      try FileManager.default.moveItem(atPath: temporary, toPath: path)
    } catch let error as LibraryError {
      throw .library(error)
    } catch {
      throw .cache(path: path, reason: LibraryError.reason(of: error))
    }
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: temporary + suffix)
    }
  }
}
