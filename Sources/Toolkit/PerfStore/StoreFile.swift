internal import Foundation
internal import PerfModel

/// The file of a store, before SQLite sees it.
struct StoreFile {
  /// The absolute path, so that SQLite takes neither `:memory:` nor `file:` for more than a name.
  let path: String

  init(path: String) {
    let base = FileManager.default.currentDirectoryPath
    self.path = path.hasPrefix("/") ? path : base + "/" + path
  }

  private var folder: String { (path as NSString).deletingLastPathComponent }

  private var exists: Bool { FileManager.default.fileExists(atPath: path) }

  private var isFolder: Bool { Self.type(of: path) == .typeDirectory }

  private static func isFile(_ path: String) -> Bool { type(of: path) == .typeRegular }

  private static func type(of path: String) -> FileAttributeType? {
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    return facts?[.type] as? FileAttributeType
  }

  /// Makes the folder, and checks that file and folder can be written.
  func prepareForWriting() throws(StoreError) {
    let files = FileManager.default
    if Self.isFile(folder) {
      throw .misplaced(path: path, cause: "'\(folder)' is a file, not a folder")
    }
    do {
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw .notWritable(path: path, cause: "its folder cannot be made (\(Self.reason(of: error)))")
    }
    if isFolder { throw .misplaced(path: path, cause: "it is a folder") }
    // The log and its index are made beside the file, so the folder must be writable, too.
    if !files.isWritableFile(atPath: folder) {
      throw .notWritable(path: path, cause: "its folder is read-only")
    }
    if exists, !files.isWritableFile(atPath: path) {
      throw .notWritable(path: path, cause: "the file is read-only")
    }
  }

  /// Checks that there is something to read.
  ///
  /// - Returns: Whether it could be written as well.
  func prepareForReading() throws(StoreError) -> Bool {
    let files = FileManager.default
    guard exists else { throw .missing(path: path) }
    if isFolder { throw .misplaced(path: path, cause: "it is a folder") }
    guard files.isReadableFile(atPath: path) else {
      throw .notReadable(path: path, cause: "permission denied")
    }
    if size(of: path) == 0 { throw .missing(path: path) }
    return files.isWritableFile(atPath: path) && files.isWritableFile(atPath: folder)
  }

  /// What SQLite is given to open a file that cannot be written.
  ///
  /// Without a log beside it the file cannot change, and `immutable` lets SQLite do without the
  /// files that it would have to make; with one, SQLite must try to read the log.
  var pathForReadOnly: String {
    guard size(of: path + "-wal") == 0 else { return path }
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove(charactersIn: "?#%;")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    return "file:\(escaped)?immutable=1"
  }

  /// A name beside it that nothing has, another one each time: what is made under it and renamed
  /// in the end is a whole file or none.
  var pathOfPart: String { "\(path).\(UUID().uuidString.prefix(8)).part" }

  /// Free bytes of the disk, or nil when unknown.
  var freeBytes: Int? {
    let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    return (facts?[.systemFreeSize] as? NSNumber)?.intValue
  }

  private func size(of path: String) -> Int {
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    return (facts?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// The system's word for what went wrong, as `Permission denied`.
  private static func reason(of error: any Error) -> String {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    return ErrorReason.clause((underlying ?? error as NSError).localizedDescription)
  }
}
