internal import Foundation
internal import Glibc

/// Files without a name: nothing is left of them, however their process ends.
enum UnnamedFile {
  /// `O_TMPFILE` (open(2)), a macro that Swift does not import.
  private static let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY

  /// Creates a file for this process in the folder for temporary files.
  ///
  /// - Throws: `POSIXError`.
  static func temporary() throws -> FileHandle {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/perfkit-XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    guard descriptor >= 0 else { throw failure }
    unsafe unlink(&template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Writes a file that gets its name when it is complete, and that replaces a file of this name.
  ///
  /// - Parameters:
  ///   - data: The content.
  ///   - path: The path; its folder exists.
  /// - Throws: `POSIXError`, e.g. `EOPNOTSUPP` from a file system whose files always have names, or an error
  ///   of `FileHandle`.
  static func write(_ data: Data, as path: String) throws {
    let descriptor = unsafe open(
      (path as NSString).deletingLastPathComponent, unnamed | O_WRONLY | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: data)
    var earlier = stat()
    if unsafe stat(path, &earlier) == 0 { fchmod(descriptor, earlier.st_mode & 0o7777) }
    try withExtendedLifetime(file) { try name(descriptor, path) }
  }

  private static func name(_ descriptor: Int32, _ path: String) throws {
    let file = "/proc/self/fd/\(descriptor)"
    if unsafe linkat(AT_FDCWD, file, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 { return }
    guard errno == EEXIST else { throw failure }
    // A link replaces no file, a rename does.
    let part = "\(path).\(UUID().uuidString.prefix(8)).part"
    guard unsafe linkat(AT_FDCWD, file, AT_FDCWD, part, AT_SYMLINK_FOLLOW) == 0 else {
      throw failure
    }
    guard unsafe rename(part, path) == 0 else {
      let failure = Self.failure
      unsafe unlink(part)
      throw failure
    }
  }

  private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
