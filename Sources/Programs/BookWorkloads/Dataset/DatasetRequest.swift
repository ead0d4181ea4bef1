internal import Foundation

/// A description of the books of a run.
struct DatasetRequest: Hashable {
  /// The version of the generated data; a change creates new files.
  static let generatorVersion = 1

  /// The largest number of books, 0 to 10,000.
  let books: Int
  /// The seed of the generated books and covers.
  let seed: UInt64
  /// The sizes of the generated covers.
  let sizes: CoverSizes
  /// The absolute path of the user's covers; nil for generated covers.
  let coversFolder: String?
  /// The absolute path of the user's Goodreads export; nil for generated books.
  let export: String?

  /// Creates a request; an empty path counts as none.
  init(books: Int, seed: UInt64, sizes: CoverSizes = .real, covers: String = "", csv: String = "") {
    self.books = books
    self.seed = seed
    self.sizes = sizes
    coversFolder = Self.absolute(covers)
    export = Self.absolute(csv)
  }

  /// Whether the covers or the books are the user's.
  var isUsersOwn: Bool { coversFolder != nil || export != nil }

  private static func absolute(_ path: String) -> String? {
    path.isEmpty ? nil : URL(fileURLWithPath: path).standardizedFileURL.path
  }
}
