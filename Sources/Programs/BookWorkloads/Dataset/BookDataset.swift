internal import CoverCache
internal import LibraryStore

/// The books of a run on disk: cover files, and libraries that refer to them.
///
/// `setup` creates the files with `prepare`. The measured process only computes their paths, so
/// that locating them costs nothing in the measured phase.
struct BookDataset: Hashable {
  let request: DatasetRequest
  /// The folder of the cover files; the `cover` of a book is the name of a file in it.
  let coversFolder: String
  /// The folder of the libraries.
  let folder: String
  /// The folder of the generated covers; nil if the covers are the user's.
  let madeUpCovers: String?

  /// Computes the paths of a data set in the folder that is kept between runs.
  init(_ request: DatasetRequest, cache: String) {
    self.request = request
    let version = DatasetRequest.generatorVersion
    let madeUp = "\(cache)/books-v\(version)-\(request.sizes.rawValue)-seed\(request.seed)"
    madeUpCovers = request.coversFolder == nil ? "\(madeUp)/covers" : nil
    coversFolder = request.coversFolder ?? "\(madeUp)/covers"
    if request.isUsersOwn {
      let identity = [request.coversFolder ?? "", request.export ?? "", madeUp]
      folder = "\(cache)/own-\(checksum(of: identity.joined(separator: "\0").utf8))"
    } else {
      folder = madeUp
    }
  }

  /// The cover files as a source for a cache.
  var covers: FileCoverSource { FileCoverSource(directory: coversFolder) }

  /// The name that is stored with a run to identify its books.
  var name: String {
    let version = DatasetRequest.generatorVersion
    let kind = request.isUsersOwn ? "own" : "\(request.sizes.rawValue)-seed\(request.seed)"
    return "v\(version)-\(kind)-\(request.books)"
  }

  func libraryPath(_ schema: LibrarySchema) -> String {
    "\(folder)/library-\(request.books)-\(schema).sqlite"
  }

  /// Opens the library that a configuration needs.
  func openLibrary(_ configuration: LibraryConfiguration) throws(DatasetError) -> LibraryStore {
    do {
      return try LibraryStore(
        path: libraryPath(configuration.schema), configuration: configuration, access: .existing)
    } catch {
      throw .library(error)
    }
  }
}
