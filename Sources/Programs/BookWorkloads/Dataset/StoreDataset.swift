internal import Foundation
internal import LibraryStore
internal import PerfWorkload

/// Libraries of any size for questions to the store: books without covers, each with as many editions.
struct StoreDataset: Hashable {
  /// How many works there are.
  let works: Int
  /// How many editions each has.
  let editions: Int
  /// What they are drawn from.
  let seed: UInt64
  /// Where the libraries are.
  let folder: String

  /// Finds the place of a data set; looks at no file.
  init(works: Int, editions: Int, seed: UInt64, cache: String) {
    self.works = works
    self.editions = editions
    self.seed = seed
    folder = "\(cache)/store-v\(DatasetRequest.generatorVersion)-seed\(seed)"
  }

  /// What is stored with a run to say which books it was about.
  var name: String { "v\(DatasetRequest.generatorVersion)-seed\(seed)-\(works)x\(editions)" }

  /// The books, made up as they are read.
  var books: some Sequence<NewBook> {
    let generator = BookGenerator(seed: seed)
    return (0..<works).lazy.map { index in
      generator.book(index, editions: editions, cover: BookGenerator.coverName(of: index))
    }
  }

  /// Returns where the library of a schema is.
  func libraryPath(_ schema: LibrarySchema) -> String {
    "\(folder)/library-\(works)x\(editions)-\(schema).sqlite"
  }

  /// Makes the library of a schema where it is missing or not whole.
  ///
  /// - Throws: `library` or `cache`; what was whole before stays.
  func prepare(_ schema: LibrarySchema, report: DatasetReport) throws(DatasetError) {
    try makeFolder(folder)
    let path = libraryPath(schema)
    let configuration = LibraryConfiguration(schema: schema, bestEdition: .recomputed)
    try withLock(on: folder) { () throws(DatasetError) in
      if BookDataset.isWhole(path, configuration, count: works) { return }
      report.progress("library", 0, works)
      do {
        try BookDataset.writeLibrary(books, to: path, configuration)
      } catch let error as LibraryError {
        throw .library(error)
      } catch {
        throw .cache(path: path, reason: DatasetError.reason(of: error))
      }
      report.progress("library", works, works)
    }
  }

  /// Makes the library of a schema in the setup of a workload.
  func setUp(_ schema: LibrarySchema, _ context: SetupContext) throws -> SetupResult {
    try prepare(schema, report: DatasetReport(context))
    return SetupResult(
      files: [libraryPath(schema)], notes: ["dataset": name, "books": "\(works)"])
  }

  /// Copies the library of a configuration, so that it can be written to, and opens the copy.
  ///
  /// - Parameters:
  ///   - configuration: How books are found.
  ///   - scratch: The folder of the copy.
  ///   - name: The copy's file.
  ///   - slowOperations: Keeps the questions that take too long.
  /// - Returns: The copy, opened.
  /// - Throws: What the file system or the library says.
  func openCopy(
    _ configuration: LibraryConfiguration, in scratch: String, name: String = "library.sqlite",
    slowOperations: SlowOperationLog? = nil
  ) throws -> LibraryStore {
    let path = "\(scratch)/\(name)"
    try FileManager.default.copyItem(atPath: libraryPath(configuration.schema), toPath: path)
    return try LibraryStore(
      path: path, configuration: configuration, access: .existing, slowOperations: slowOperations)
  }
}
