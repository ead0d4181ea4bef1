internal import Foundation
internal import LibraryStore
internal import PerfWorkload

/// A description of the books of a run.
struct DatasetRequest: Hashable {
  /// The version of the generated data; a change creates new files.
  static let generatorVersion = 1
  /// The version of the import; a change reads the user's exports anew.
  static let importVersion = 2

  /// The largest number of books, 0 to 10,000.
  let books: Int
  /// The seed of the generated books and covers.
  let seed: UInt64
  /// The sizes of the generated covers.
  let sizes: CoverSizes
  /// The absolute path of the user's covers; nil for generated covers.
  let coversFolder: String?
  /// The absolute path of the user's export; nil for generated books.
  let export: String?
  /// The treatment of malformed rows in the user's export.
  let rows: MalformedRows

  /// Creates a request; an empty path counts as none.
  init(
    books: Int, seed: UInt64, sizes: CoverSizes = .real, covers: String = "", csv: String = "",
    rows: MalformedRows = .stop
  ) {
    self.rows = rows
    self.books = books
    self.seed = seed
    self.sizes = sizes
    coversFolder = Self.absolute(covers)
    export = Self.absolute(csv)
  }

  /// Whether the covers or the books are the user's.
  var isUsersOwn: Bool { coversFolder != nil || export != nil }

  /// Returns the absolute path of a parameter's value; nil if it is empty.
  static func absolute(_ path: String) -> String? {
    path.isEmpty ? nil : URL(fileURLWithPath: path).standardizedFileURL.path
  }
}

extension DatasetRequest {
  private static let books = books(1_000, in: 1...10_000)
  static let sizes = Parameter("sizes", default: CoverSizes.real, "Sizes of the generated covers.")
  static let covers = Parameter(
    "covers", default: "", "Folder of your covers; empty for generated covers.")
  static let csv = Parameter(
    "csv", default: "",
    "Your Goodreads, StoryGraph, LibraryThing or Calibre export; empty for generated books.")
  static let rows = Parameter(
    "rows", default: MalformedRows.stop, "Treatment of malformed rows in your export.")

  /// Returns the parameters of a workload that reads books, with a default number of books.
  static func parameters(
    books: Int, in range: ClosedRange<Int> = 1...10_000
  ) -> [any WorkloadParameter] {
    [Self.books(books, in: range), sizes, covers, csv, rows]
  }

  private static func books(_ count: Int, in range: ClosedRange<Int>) -> Parameter<Int> {
    Parameter("books", default: count, in: range, "Largest number of books in the library.")
  }

  /// Reads a request from the parameters that `parameters(books:in:)` declares.
  init(_ parameters: ParameterValues, seed: UInt64) {
    self.init(
      books: parameters[Self.books], seed: seed, sizes: parameters[Self.sizes],
      covers: parameters[Self.covers], csv: parameters[Self.csv], rows: parameters[Self.rows])
  }
}
