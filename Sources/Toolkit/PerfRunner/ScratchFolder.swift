internal import Foundation
internal import Glibc
internal import PerfModel

/// A temporary folder of a measurement.
///
/// A killed process leaves its folder, and the next measurement removes it: the lock of a folder
/// ends with its process. Only folders with PerfKit's mark are removed: a file in the folder, or the
/// end of its name while the folder is being made or removed.
public struct ScratchFolder {
  /// The name of the file that marks such a folder, and the end of the name of a folder that is being
  /// made or removed.
  static let mark = ".perfkit-scratch"

  private let path: String
  private let lock: DirectoryLock

  /// Creates a folder, and removes unused marked folders beside it.
  ///
  /// - Parameter path: The path of the folder.
  /// - Throws: `RevisionError.notWritable` if the folder cannot be created.
  public init(_ path: String) throws(RevisionError) {
    self.path = path
    lock = try Self.lockedFolder(path)
    let parent = (path as NSString).deletingLastPathComponent
    let files = FileManager.default
    for name in (try? files.contentsOfDirectory(atPath: parent)) ?? [] {
      let other = "\(parent)/\(name)"
      guard other != path,
        name.hasSuffix(Self.mark) || files.fileExists(atPath: "\(other)/\(Self.mark)"),
        Self.isOwn(other)
      else { continue }
      withExtendedLifetime(DirectoryLock(other, isExclusive: true)) { lock in
        if lock.isHeld { Self.discard(other) }
      }
    }
  }

  /// Returns the lock of a new folder, or of the folder that another process has at the path.
  private static func lockedFolder(_ path: String) throws(RevisionError) -> DirectoryLock {
    for _ in 0..<8 {
      let new = passing(path)
      try make(new)
      let lock = DirectoryLock(new, isExclusive: true)
      // Before the lock, another process may take the folder for an unused one.
      if lock.isTaken { continue }
      if lock.isHeld { try? Data().write(to: URL(fileURLWithPath: "\(new)/\(mark)")) }
      if rename(new, path) == 0 { return lock }
      guard errno == ENOENT else {
        discard(new)
        break
      }
    }
    try make(path)
    return DirectoryLock(path, isExclusive: true)
  }

  /// Returns a name for a folder that is being made or removed.
  private static func passing(_ path: String) -> String {
    "\(path).\(UUID().uuidString.prefix(8))\(mark)"
  }

  /// Removes a folder and its content; its new name is a mark that lasts until the end.
  private static func discard(_ path: String) {
    let old = passing(path)
    try? FileManager.default.removeItem(atPath: rename(path, old) == 0 ? old : path)
  }

  /// Returns whether a path is a folder of this user; the folders beside it may be anybody's.
  private static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == geteuid()
  }

  /// Whether another process has the folder.
  public var isTaken: Bool { lock.isTaken }

  /// Removes the folder that a killed process left at a path, if there is one.
  ///
  /// - Returns: False if a process still has it.
  public static func clear(_ path: String) -> Bool {
    let lock = DirectoryLock(path, isExclusive: true)
    return withExtendedLifetime(lock) {
      if lock.isHeld { discard(path) }
      return !lock.isTaken
    }
  }

  /// Creates a folder and its parents, for their user alone.
  ///
  /// - Throws: `RevisionError.notWritable`.
  static func make(_ path: String) throws(RevisionError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .notWritable(path: path, reason: ErrorReason.clause(error.localizedDescription))
    }
  }

  /// Removes the folder while it is locked.
  public func remove() {
    withExtendedLifetime(lock) { Self.discard(path) }
  }
}
