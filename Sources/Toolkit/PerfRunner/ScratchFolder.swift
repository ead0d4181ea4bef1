internal import Foundation
internal import Glibc
internal import PerfModel

/// A temporary folder of a measurement.
///
/// A killed process leaves its folder, and the next measurement removes it: the lock of a folder
/// ends with its process. Only folders with PerfKit's mark are removed.
public struct ScratchFolder {
  /// The name of the file that marks such a folder.
  static let mark = ".perfkit-scratch"

  private let path: String
  private let lock: DirectoryLock

  /// Creates a folder, and removes unused marked folders beside it.
  ///
  /// - Parameter path: The path of the folder.
  /// - Throws: `RevisionError.notWritable` if the folder cannot be created.
  public init(_ path: String) throws(RevisionError) {
    self.path = path
    let files = FileManager.default
    try Self.make(path)
    lock = DirectoryLock(path, isExclusive: true)
    // The folder is marked after locking, so that no other process removes it.
    if lock.isHeld {
      try? Data().write(to: URL(fileURLWithPath: "\(path)/\(Self.mark)"))
    }
    let parent = (path as NSString).deletingLastPathComponent
    for name in (try? files.contentsOfDirectory(atPath: parent)) ?? [] {
      let other = "\(parent)/\(name)"
      guard other != path, files.fileExists(atPath: "\(other)/\(Self.mark)"), Self.isOwn(other)
      else { continue }
      withExtendedLifetime(DirectoryLock(other, isExclusive: true)) { lock in
        if lock.isHeld { try? files.removeItem(atPath: other) }
      }
    }
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
      if lock.isHeld { try? FileManager.default.removeItem(atPath: path) }
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
    withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: path) }
  }
}
