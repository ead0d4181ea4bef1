internal import Foundation
internal import Glibc

/// A folder for what a measurement needs while it lasts.
///
/// A process that is killed leaves its folder behind, and the next measurement removes it: the lock of a
/// folder ends with the process that holds it.
public struct ScratchFolder {
  private let path: String
  private let lock: Int32

  /// Makes a folder, and removes the ones beside it that nobody uses any more.
  ///
  /// - Parameter path: Its path; the folder that it lies in holds nothing but such folders.
  /// - Throws: A file error when it cannot be made.
  public init(_ path: String) throws {
    self.path = path
    lock = try Self.make(path)
    let parent = (path as NSString).deletingLastPathComponent
    let files = FileManager.default
    for name in (try? files.contentsOfDirectory(atPath: parent)) ?? []
    where "\(parent)/\(name)" != path {
      let other = open("\(parent)/\(name)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard other >= 0 else { continue }
      if flock(other, LOCK_EX | LOCK_NB) == 0 {
        try? files.removeItem(atPath: "\(parent)/\(name)")
      }
      close(other)
    }
  }

  /// Removes it.
  public func remove() {
    try? FileManager.default.removeItem(atPath: path)
    if lock >= 0 { close(lock) }
  }

  /// Returns the descriptor that locks it; -1 where there is no such thing.
  private static func make(_ path: String) throws -> Int32 {
    while true {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard lock >= 0, flock(lock, LOCK_EX) == 0 else { return lock }
      // Another measurement may have taken it for one of a dead process before it was locked.
      if FileManager.default.fileExists(atPath: path) { return lock }
      close(lock)
    }
  }
}
