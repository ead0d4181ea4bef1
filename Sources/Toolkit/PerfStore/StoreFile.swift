internal import Foundation
internal import Glibc
internal import PerfModel

/// The file of a store, and the checks before SQLite opens it.
struct StoreFile {
  /// The absolute path, so that SQLite does not interpret `:memory:` or `file:`.
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

  /// Creates the folder, and checks that the folder and the file are writable.
  func prepareForWriting() throws(StoreError) {
    let files = FileManager.default
    if Self.isFile(folder) {
      throw .misplaced(path: path, cause: "'\(folder)' is a file, not a folder")
    }
    do {
      try files.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .notWritable(path: path, cause: "its folder cannot be made (\(Self.reason(of: error)))")
    }
    if isFolder { throw .misplaced(path: path, cause: "it is a folder") }
    // SQLite creates the log and its index beside the file, so the folder must be writable as well.
    if !files.isWritableFile(atPath: folder) {
      throw .notWritable(path: path, cause: "its folder is read-only")
    }
    if exists, !files.isWritableFile(atPath: path) {
      throw .notWritable(path: path, cause: "the file is read-only")
    }
  }

  /// Creates the file if it is missing, for its user alone; SQLite gives its additional files the same mode.
  func create() {
    // SQLite reports why the file cannot be created.
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Checks that the file can be read.
  ///
  /// - Returns: Whether it can be written as well.
  func prepareForReading() throws(StoreError) -> Bool {
    let files = FileManager.default
    guard exists else {
      // A folder that cannot be searched hides its files.
      let isHidden = unsafe access(folder, X_OK) != 0 && errno == EACCES
      throw isHidden
        ? .notReadable(path: path, cause: "permission denied for its folder") : .missing(path: path)
    }
    if isFolder { throw .misplaced(path: path, cause: "it is a folder") }
    guard files.isReadableFile(atPath: path) else {
      throw .notReadable(path: path, cause: "permission denied")
    }
    if size(of: path) == 0 { throw .missing(path: path) }
    return files.isWritableFile(atPath: path) && files.isWritableFile(atPath: folder)
  }

  /// The path by which SQLite opens a file that cannot be written.
  ///
  /// Without a log the file cannot change, and `immutable` lets SQLite do without additional files.
  /// With a log SQLite must read it.
  var pathForReadOnly: String {
    guard size(of: path + "-wal") == 0 else { return path }
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove(charactersIn: "?#%;")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    return "file:\(escaped)?immutable=1"
  }

  var freeBytes: Int? {
    let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    return (facts?[.systemFreeSize] as? NSNumber)?.intValue
  }

  private func size(of path: String) -> Int {
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    return (facts?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// Returns the system's description of an error, such as `Permission denied`.
  private static func reason(of error: any Error) -> String {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    return ErrorReason.clause((underlying ?? error as NSError).localizedDescription)
  }
}
