internal import Foundation

/// Which books a run is about.
struct DatasetRequest: Hashable {
  /// Version of everything that is made up; a change of it makes new files.
  static let generatorVersion = 1

  /// At most that many books, 0 to 10,000.
  let books: Int
  /// What the made-up books and covers are drawn from.
  let seed: UInt64
  /// In which sizes made-up covers come.
  let sizes: CoverSizes
  /// Absolute path of the user's covers; nil for made-up ones.
  let coversFolder: String?
  /// Absolute path of the user's Goodreads export; nil for made-up titles.
  let export: String?

  /// Creates a request; an empty path is none.
  init(books: Int, seed: UInt64, sizes: CoverSizes = .real, covers: String = "", csv: String = "") {
    self.books = books
    self.seed = seed
    self.sizes = sizes
    coversFolder = Self.absolute(covers)
    export = Self.absolute(csv)
  }

  /// Whether something of it is the user's own.
  var isUsersOwn: Bool { coversFolder != nil || export != nil }

  private static func absolute(_ path: String) -> String? {
    path.isEmpty ? nil : URL(fileURLWithPath: path).standardizedFileURL.path
  }
}
