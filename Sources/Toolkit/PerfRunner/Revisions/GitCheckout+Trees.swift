internal import Foundation

extension GitCheckout {
  /// Checks out a commit into a folder, including submodules.
  ///
  /// - Throws: `RevisionError.git` or `submodule`.
  func checkOut(_ commit: String, into folder: String) throws(RevisionError) {
    // A restored CI cache may contain a tree that git does not know.
    let head = try call(["-C", folder, "rev-parse", "HEAD"])
    let isTree = FileManager.default.fileExists(atPath: folder + "/.git") && head.status == 0
    if isTree {
      _ = try text([
        "-C", folder, "checkout", "--quiet", "--force", "--no-recurse-submodules", "--detach",
        commit,
      ])
    } else {
      Self.makeRoom(at: folder)
      _ = try text(["worktree", "prune"])
      // The option is given twice because a killed git leaves a lock on its tree.
      _ = try text([
        "worktree", "add", "--quiet", "--force", "--force", "--detach", folder, commit,
      ])
    }
    try placeSubmodules(of: commit, into: folder)
  }

  /// Makes the programs that a tree has from git older than its other files.
  ///
  /// A checkout gives all files the present time, so that `make` would not build a committed program again,
  /// and two revisions would have the same one.
  ///
  /// - Throws: `RevisionError.git`.
  func agePrograms(in folder: String) throws(RevisionError) {
    let executable = "100755 "
    for entry in try text(["-C", folder, "ls-files", "--stage", "-z"]).split(separator: "\0")
    where entry.hasPrefix(executable) {
      guard let tab = entry.firstIndex(of: "\t") else { continue }
      let path = "\(folder)/\(entry[entry.index(after: tab)...])"
      if RevisionBuild.isLinked(path) {
        try? FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: path)
      }
    }
  }

  /// Removes the file or folder at a path, because git creates a tree only where nothing is.
  ///
  /// A folder that cannot be removed, for example because of a read-only package cache, is renamed.
  private static func makeRoom(at path: String) {
    let files = FileManager.default
    try? files.removeItem(atPath: path)
    guard files.fileExists(atPath: path) else { return }
    try? files.moveItem(atPath: path, toPath: "\(path).left-\(UUID().uuidString)")
  }

  /// Removes a tree; a missing tree is no error.
  func removeTree(_ folder: String) throws(RevisionError) {
    _ = try call(["worktree", "remove", "--force", "--force", folder])
    try? FileManager.default.removeItem(atPath: folder)
    _ = try text(["worktree", "prune"])
  }

  /// Returns the path of a folder from the root; empty for the root and for folders outside of it.
  public func place(of folder: String) -> String {
    let path = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    return path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : ""
  }

  func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(root)/\(path)"
  }
}
