internal import Foundation

extension GitCheckout {
  /// Puts the tree of a commit into a folder, submodules included.
  ///
  /// - Throws: `RevisionError.git` or `submodule`.
  func checkOut(_ commit: String, into folder: String) throws(RevisionError) {
    // A cache of CI may bring a tree back that git knows nothing of.
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
      // Twice, as a git that was killed leaves a lock on what it was making.
      _ = try text([
        "worktree", "add", "--quiet", "--force", "--force", "--detach", folder, commit,
      ])
    }
    try placeSubmodules(of: commit, into: folder)
  }

  /// Removes what is at a path.
  ///
  /// What nobody can remove, as a package cache without leave to write, is moved beside it: git puts no
  /// tree into a folder that is not empty.
  private static func makeRoom(at path: String) {
    let files = FileManager.default
    try? files.removeItem(atPath: path)
    guard files.fileExists(atPath: path) else { return }
    try? files.moveItem(atPath: path, toPath: "\(path).left-\(UUID().uuidString)")
  }

  /// Removes a tree; one that is not there is no error.
  func removeTree(_ folder: String) throws(RevisionError) {
    _ = try call(["worktree", "remove", "--force", "--force", folder])
    try? FileManager.default.removeItem(atPath: folder)
    _ = try text(["worktree", "prune"])
  }

  func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(root)/\(path)"
  }
}
