internal import Foundation
internal import Glibc

/// A file without a name, which ends with its process unless it gets a name.
final class UnnamedFile {
  /// Reads and writes the file.
  let handle: FileHandle

  /// The flag of open(2), a macro that Swift does not import; all architectures have the same bit.
  private static let flag = 0o20000000 | O_DIRECTORY

  /// Creates an empty file; the umask restricts its mode.
  ///
  /// - Throws: `POSIXError`, as with `EOPNOTSUPP` if the file system has no such files (e.g. NFS).
  init(in folder: String, mode: mode_t) throws(POSIXError) {
    let descriptor = unsafe open(folder, O_RDWR | O_CLOEXEC | Self.flag, mode)
    guard descriptor >= 0 else { throw Self.systemError() }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Creates an empty file for temporary content, for this user alone.
  ///
  /// A file system without such files has the name for an instant.
  convenience init(temporaryIn folder: String) throws {
    do {
      try self.init(in: folder, mode: 0o600)
    } catch {
      let path = "\(folder)/perfkit-\(UUID().uuidString)"
      let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw Self.systemError() }
      unsafe unlink(path)
      self.init(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }
  }

  private init(_ handle: FileHandle) { self.handle = handle }

  /// The folder by which open files get names.
  static let names = "/proc/self/fd"

  /// Gives the file a name in its file system.
  ///
  /// - Throws: `POSIXError`, with `EEXIST` if the name exists.
  func link(as path: String) throws(POSIXError) {
    let own = "\(Self.names)/\(handle.fileDescriptor)"
    guard unsafe linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
      throw Self.systemError()
    }
  }

  private static func systemError() -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }
}
