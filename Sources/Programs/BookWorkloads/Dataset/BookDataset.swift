internal import CoverCache
internal import LibraryStore

/// The books of a run on the disk: cover files, and libraries that name them.
///
/// `setup` makes it by `prepare`; the measured process only computes where everything is, so that
/// finding it costs nothing there.
struct BookDataset: Hashable {
  /// Which books these are.
  let request: DatasetRequest
  /// Where the cover files are; the `cover` of a book of the library is the name of one of them.
  let coversFolder: String
  /// Where the libraries are.
  let folder: String
  /// Where made-up covers are; nil when the covers are the user's.
  let madeUpCovers: String?

  /// Finds the place of a data set; looks at no file.
  ///
  /// - Parameters:
  ///   - request: Which books.
  ///   - cache: The folder that is kept between runs.
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

  /// The covers as a source for a cache.
  var covers: FileCoverSource { FileCoverSource(directory: coversFolder) }

  /// What is stored with a run to say which books it was about.
  var name: String {
    let version = DatasetRequest.generatorVersion
    let kind = request.isUsersOwn ? "own" : "\(request.sizes.rawValue)-seed\(request.seed)"
    return "v\(version)-\(kind)-\(request.books)"
  }

  /// Returns where the library of a schema is.
  func libraryPath(_ schema: LibrarySchema) -> String {
    "\(folder)/library-\(request.books)-\(schema).sqlite"
  }

  /// Opens the library of a configuration.
  ///
  /// - Throws: `library`.
  func openLibrary(_ configuration: LibraryConfiguration) throws(DatasetError) -> LibraryStore {
    do {
      return try LibraryStore(
        path: libraryPath(configuration.schema), configuration: configuration, access: .existing)
    } catch {
      throw .library(error)
    }
  }
}
