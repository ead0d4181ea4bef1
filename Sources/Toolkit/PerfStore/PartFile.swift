internal import Foundation
internal import Glibc
internal import PerfModel

/// A file beside a store that is written under another name and renamed when it is complete, or a temporary file.
///
/// A killed process leaves its part, and the next writer in the folder removes it: a part is locked as long as its
/// process writes it.
final class PartFile: Sendable {
  /// The absolute path.
  let path: String
  private let descriptor: Int32

  /// The ends of the names of the files that SQLite makes beside a part.
  private static let companions = ["-wal", "-shm", "-journal"]

  /// Creates an empty part, and removes the parts in its folder that no process writes.
  ///
  /// - Parameter file: The path of the complete file.
  /// - Throws: `StoreError.notWritable` (of the complete file).
  init(of file: String) throws(StoreError) {
    Self.removeUnused(of: file)
    for _ in 0..<8 {
      let path = "\(file).\(UUID().uuidString.prefix(8)).part"
      let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw .notWritable(path: file, cause: unsafe String(cString: strerror(errno)))
      }
      // Before the lock, another writer may take the part for an unused one.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, FileManager.default.fileExists(atPath: path) {
        (self.path, self.descriptor) = (path, descriptor)
        return
      }
      close(descriptor)
    }
    throw .notWritable(path: file, cause: "other processes write it")
  }

  /// Gives the part, which is complete, the name of the file.
  ///
  /// - Parameter file: The path of the complete file, which does not exist.
  /// - Throws: `StoreError.notWritable` (of the complete file).
  func rename(to file: String) throws(StoreError) {
    do {
      try FileManager.default.moveItem(atPath: path, toPath: file)
    } catch {
      throw .notWritable(path: file, cause: ErrorReason.clause(error.localizedDescription))
    }
  }

  deinit {
    Self.remove(path)
    close(descriptor)
  }

  private static func removeUnused(of file: String) {
    let folder = (file as NSString).deletingLastPathComponent
    let name = (file as NSString).lastPathComponent
    for other in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard let match = other.wholeMatch(of: /(.+)\.[0-9A-F]{8}\.part/) else { continue }
      let path = "\(folder)/\(other)"
      // A pipe without a writer must not block.
      let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      // Another program may use such a name for a part of another file.
      if isOwn(descriptor), match.1 == name || isStore(descriptor),
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
      {
        remove(path)
      }
      close(descriptor)
    }
  }

  /// Returns whether this user has written a regular file; the folder of temporary files has those of all users.
  private static func isOwn(_ descriptor: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_uid == geteuid()
  }

  /// Returns whether a file is a store, or the start of one: SQLite may write the first page last.
  private static func isStore(_ descriptor: Int32) -> Bool {
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    do {
      let start = try file.read(upToCount: 16) ?? Data()
      return start.allSatisfy { $0 == 0 } || start == Data("SQLite format 3\0".utf8)
    } catch {
      return false
    }
  }

  /// Removes files; a folder of one of the names stays.
  private static func remove(_ path: String) {
    for ending in companions + [""] { unsafe unlink(path + ending) }
  }
}
