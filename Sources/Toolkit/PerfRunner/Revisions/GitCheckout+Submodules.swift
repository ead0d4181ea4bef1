internal import Foundation
internal import PerfModel

/// Submodules come from what the checkout has of them: a commit of theirs may never have been pushed, and a
/// build must not need the network.
extension GitCheckout {
  /// A commit of another repository in a tree.
  private struct Link {
    let path: String
    let commit: String
  }

  /// Takes what lies in the submodules of the checkout into an index, their changes included.
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

  /// Puts the submodules of a commit into its tree.
  ///
  /// - Throws: `RevisionError.submodule` when one can be had neither here nor from where it comes from.
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

  /// Makes a repository of a submodule that shares the objects of another one.
  ///
  /// A clone would have only what a branch has.
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

  /// The folder of objects, of the checkout's own submodules, that has a commit; nil when none has.
  private func objects(of link: Link) throws(RevisionError) -> String? {
    var folders: [String] = []
    if let module = try submodule(link.path) {
      folders.append(module.absolute(try module.text(["rev-parse", "--git-path", "objects"])))
    }
    // Where git keeps those that lie at another place now, or nowhere.
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

  /// The checkout of a submodule; nil when it was never fetched.
  private func submodule(_ path: String) throws(RevisionError) -> GitCheckout? {
    let folder = "\(root)/\(path)"
    guard FileManager.default.fileExists(atPath: folder + "/.git"),
      try call(["-C", folder, "rev-parse", "--show-toplevel"]).output == folder
    else { return nil }
    return GitCheckout(submodule: folder, of: self)
  }

  /// The submodules among entries of an index or a tree.
  private static func links(_ entries: String) -> [Link] {
    entries.split(separator: "\0").filter { $0.hasPrefix("160000 ") }.compactMap { entry in
      let parts = entry.split(separator: "\t", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      // `160000 HASH 0` of an index, `160000 commit HASH` of a tree.
      let words = parts[0].split(separator: " ").map(String.init)
      guard let commit = words.first(where: { $0.utf8.count >= 40 }) else { return nil }
      return Link(path: String(parts[1]), commit: commit)
    }
  }
}
