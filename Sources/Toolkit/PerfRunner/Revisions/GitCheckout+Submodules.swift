internal import Foundation
internal import PerfModel

/// Submodules are taken from the checkout: their commits may not be pushed, and builds need no
/// network.
extension GitCheckout {
  /// A commit of another repository in a tree.
  private struct Link {
    let path: String
    let commit: String
  }

  /// Adds the checkout's submodules with their changes to an index.
  func addSubmodules(_ index: [String: String]) throws(RevisionError) {
    for link in Self.links(try text(["ls-files", "--stage", "-z"], index)) {
      guard let module = try submodule(link.path), try module.commit(of: "HEAD") != nil else {
        continue
      }
      let current = try module.workTreeRevision().commit
      guard current != link.commit else { continue }
      _ = try text(["update-index", "--cacheinfo", "160000,\(current),\(link.path)"], index)
    }
  }

  /// Places the submodules of a commit into its tree.
  ///
  /// - Throws: `RevisionError.submodule` if a submodule is neither in the checkout nor can be
  ///   fetched.
  func placeSubmodules(of commit: String, into folder: String) throws(RevisionError) {
    for link in Self.links(try text(["-C", folder, "ls-tree", "-r", "-z", commit])) {
      let place = "\(folder)/\(link.path)"
      if let objects = try objects(of: link) {
        try borrow(objects, for: link, into: place)
        let source = try submodule(link.path) ?? GitCheckout(submodule: place, of: self)
        try source.placeSubmodules(of: link.commit, into: place)
      } else {
        let fetched = try call([
          "-C", folder, "submodule", "update", "--quiet", "--init", "--recursive", "--", link.path,
        ])
        guard fetched.status == 0 else {
          throw .submodule(path: link.path, commit: link.commit, reason: fetched.errors)
        }
      }
    }
  }

  /// Creates a repository of a submodule that shares the objects of another repository.
  ///
  /// A clone would lack commits without a branch.
  private func borrow(
    _ objects: String, for link: Link, into place: String
  ) throws(RevisionError) {
    let files = FileManager.default
    if !files.fileExists(atPath: place + "/.git/HEAD") {
      let format = link.commit.utf8.count == 64 ? "sha256" : "sha1"
      _ = try text(["init", "--quiet", "--object-format=\(format)", "--", place])
      do {
        try Data((objects + "\n").utf8).write(
          to: URL(fileURLWithPath: place + "/.git/objects/info/alternates"))
      } catch {
        throw .notWritable(path: place, reason: ErrorReason.clause(error.localizedDescription))
      }
      let shallow = (objects as NSString).deletingLastPathComponent + "/shallow"
      try? files.copyItem(atPath: shallow, toPath: place + "/.git/shallow")
    }
    _ = try text(["-C", place, "checkout", "--quiet", "--force", "--detach", link.commit])
  }

  /// Returns the object folder of the checkout's submodule that contains the commit, or nil.
  private func objects(of link: Link) throws(RevisionError) -> String? {
    var folders: [String] = []
    if let module = try submodule(link.path) {
      folders.append(module.absolute(try module.text(["rev-parse", "--git-path", "objects"])))
    }
    // Git keeps submodules here that were moved or removed in the checkout.
    let common = absolute(try text(["rev-parse", "--git-common-dir"]))
    folders.append("\(common)/modules/\(link.path)/objects")
    for folder in folders where FileManager.default.fileExists(atPath: folder) {
      let repository = (folder as NSString).deletingLastPathComponent
      let found = try call([
        "--git-dir", repository, "cat-file", "-e", "\(link.commit)^{commit}",
      ])
      if found.status == 0 { return folder }
    }
    return nil
  }

  /// Returns the checkout of a submodule; nil if it was never fetched.
  private func submodule(_ path: String) throws(RevisionError) -> GitCheckout? {
    let folder = "\(root)/\(path)"
    guard FileManager.default.fileExists(atPath: folder + "/.git"),
      try call(["-C", folder, "rev-parse", "--show-toplevel"]).output == folder
    else { return nil }
    return GitCheckout(submodule: folder, of: self)
  }

  /// Returns the submodules in the entries of an index or a tree.
  private static func links(_ entries: String) -> [Link] {
    entries.split(separator: "\0").filter { $0.hasPrefix("160000 ") }.compactMap { entry in
      let parts = entry.split(separator: "\t", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      // An index has `160000 HASH 0`, a tree has `160000 commit HASH`.
      let words = parts[0].split(separator: " ").map(String.init)
      guard let commit = words.first(where: { $0.utf8.count >= 40 }) else { return nil }
      return Link(path: String(parts[1]), commit: commit)
    }
  }
}
