internal import Foundation
internal import LibraryStore
internal import PerfWorkload

/// Libraries of any size for store queries: books without covers, with equal numbers of editions.
struct StoreDataset: Hashable {
  let works: Int
  /// The number of editions per work.
  let editions: Int
  let seed: UInt64
  /// The folder of the libraries.
  let folder: String

  /// Computes the paths of a data set without accessing files.
  init(works: Int, editions: Int, seed: UInt64, cache: String) {
    self.works = works
    self.editions = editions
    self.seed = seed
    folder = "\(cache)/store-v\(DatasetRequest.generatorVersion)-seed\(seed)"
  }

  /// The identifier of the books, which each run stores.
  var name: String { "v\(DatasetRequest.generatorVersion)-seed\(seed)-\(works)x\(editions)" }

  /// The books, which are generated as they are read.
  var books: some Sequence<NewBook> {
    let generator = BookGenerator(seed: seed)
    return (0..<works).lazy.map { index in
      generator.book(index, editions: editions, cover: BookGenerator.coverName(of: index))
    }
  }

  func libraryPath(_ schema: LibrarySchema) -> String {
    "\(folder)/library-\(works)x\(editions)-\(schema).sqlite"
  }

  /// Creates the library of a schema unless a complete one exists.
  func prepare(_ schema: LibrarySchema, report: DatasetReport) throws(DatasetError) {
    try makeFolder(folder)
    let path = libraryPath(schema)
    let configuration = LibraryConfiguration(schema: schema, bestEdition: .recomputed)
    try withLock(on: folder) { () throws(DatasetError) in
      if BookDataset.isWhole(path, configuration, count: works) { return }
      report.progress("library", 0, works)
      try BookDataset.writeLibrary(books, to: path, configuration)
      report.progress("library", works, works)
    }
  }

  /// Creates the library of a schema in the setup of a workload.
  func setUp(_ schema: LibrarySchema, _ context: SetupContext) throws -> SetupResult {
    try prepare(schema, report: DatasetReport(context))
    return SetupResult(files: [libraryPath(schema)], notes: ["dataset": name, "books": "\(works)"])
  }

  /// Copies the library that a configuration needs and opens the copy for writing.
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
