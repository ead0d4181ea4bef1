internal import Foundation
internal import Glibc
internal import PerfModel

/// A folder for what a measurement needs while it lasts.
///
/// A process that is killed leaves its folder behind, and the next measurement removes it: the lock of a
/// folder ends with the process that holds it. Only folders that bear our mark are removed.
public struct ScratchFolder {
  /// The name of the file that marks such a folder.
  static let mark = ".perfkit-scratch"

  private let path: String
  private let lock: Int32

  /// Makes a folder, and removes the ones beside it that nobody uses any more.
  ///
  /// - Parameter path: Its path; the folder that it lies in may hold others, too.
  /// - Throws: `RevisionError.notWritable` when it cannot be made.
  public init(_ path: String) throws {
    self.path = path
    let files = FileManager.default
    try Self.make(path)
    lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Marked once it is locked, so that nobody takes it for one that was left behind.
    if lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 {
      try? Data().write(to: URL(fileURLWithPath: "\(path)/\(Self.mark)"))
    }
    let parent = (path as NSString).deletingLastPathComponent
    for name in (try? files.contentsOfDirectory(atPath: parent)) ?? [] {
      let other = "\(parent)/\(name)"
      if other != path, files.fileExists(atPath: "\(other)/\(Self.mark)") { Self.sweep(other) }
    }
  }

  /// Makes a folder, and those that it lies in.
  ///
  /// - Throws: `RevisionError.notWritable`.
  static func make(_ path: String) throws(RevisionError) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .notWritable(path: path, reason: ErrorReason.clause(error.localizedDescription))
    }
  }

  /// Removes it.
  public func remove() {
    try? FileManager.default.removeItem(atPath: path)
    if lock >= 0 { close(lock) }
  }

  private static func sweep(_ path: String) {
    let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { return }
    if flock(lock, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(atPath: path) }
    close(lock)
  }
}
