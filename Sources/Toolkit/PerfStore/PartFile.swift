internal import Foundation
internal import Glibc

/// A file beside a store that is written under another name and renamed when it is complete.
///
/// A killed process leaves its part, and the next writer of the same store removes it: a part is locked as
/// long as its process writes it.
final class PartFile: Sendable {
  /// The absolute path.
  let path: String
  private let descriptor: Int32

  /// The ends of the names of the files that SQLite makes beside a part.
  private static let companions = ["-wal", "-shm", "-journal"]

  /// Creates an empty part, and removes the parts that no process writes.
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

  deinit {
    Self.remove(path)
    close(descriptor)
  }

  private static func removeUnused(of file: String) {
    let folder = (file as NSString).deletingLastPathComponent
    let name = (file as NSString).lastPathComponent
    for other in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard other.hasPrefix(name + "."),
        other.dropFirst(name.count + 1).wholeMatch(of: /[0-9A-F]{8}\.part/) != nil
      else { continue }
      let path = "\(folder)/\(other)"
      let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { remove(path) }
      close(descriptor)
    }
  }

  private static func remove(_ path: String) {
    for ending in companions + [""] { try? FileManager.default.removeItem(atPath: path + ending) }
  }
}
