internal import Foundation
internal import Glibc

extension GitCheckout {
  /// Makes a commit of what lies in the checkout, without touching its index or any branch.
  ///
  /// The same content on the same commit gives the same hash, so that a build of it is found again. What
  /// PerfKit itself put there is no part of it: otherwise its own report would be a change.
  func workTreeRevision() throws(RevisionError) -> Revision {
    guard let head = try commit(of: "HEAD") else { throw .noCommits(root: root) }
    let own = absolute(try text(["rev-parse", "--git-path", "index"]))
    let copy = NSTemporaryDirectory() + "perfkit-index-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    // A copy keeps what git knows of the files, so that only changed ones are read. Its date must stay:
    // git reads files that changed in the second of their index, but not those older than it.
    let files = FileManager.default
    let written = try? files.attributesOfItem(atPath: own)[.modificationDate] as? Date
    try? files.copyItem(atPath: own, toPath: copy)
    if let written { try? files.setAttributes([.modificationDate: written], ofItemAtPath: copy) }
    let index = ["GIT_INDEX_FILE": copy]
    try addChanges(index)
    try addSubmodules(index)
    let tree = try text(["write-tree"], index)
    if tree == (try text(["rev-parse", "\(head)^{tree}"])) {
      return Revision(name: Self.workTree, commit: head, head: head, tree: tree)
    }
    let commit = try self.commit(tree: tree, on: head, dateOf: head, "What lay in the checkout")
    return Revision(name: Self.workTree, commit: commit, head: head, tree: tree)
  }

  private func addChanges(_ index: [String: String]) throws(RevisionError) {
    let store = try storeFiles()
    // What git knows is the user's, wherever it lies; only the store is never a change.
    _ = try text(["add", "--update", "--", ":/"] + store.files, index)
    let hidden = store.files + store.folders
    let new = try text(
      ["ls-files", "--others", "--exclude-standard", "-z", "--", ":/"] + hidden, index
    ).split(separator: "\0").map(String.init)
    let reports = new.filter(isOwnOutput).map { ":(top,exclude,literal)\($0)" }
    guard new.count > reports.count else { return }
    _ = try text(["add", "--all", "--", ":/"] + hidden + reports, index)
  }

  /// The run store and what lies beside it, as pathspecs that leave it out.
  private func storeFiles() throws(RevisionError) -> (files: [String], folders: [String]) {
    var files = [":(top,exclude,glob)**/.perfkit/**"]
    guard let store, let folder = realpath((store as NSString).deletingLastPathComponent, nil)
    else {
      return (files, [])
    }
    defer { free(folder) }
    let path = String(cString: folder) + "/"
    guard path.hasPrefix(root + "/") else { return (files, []) }
    let place = path.dropFirst(root.utf8.count + 1)
    let name = (store as NSString).lastPathComponent
    files += ["", "-wal", "-shm", "-journal"].map { Self.leavingOut("\(place)\(name)\($0)") }
    let folders = ["builds", "data", "scratch"].map { "\(place)\($0)" }
    // One in which git knows a file is the user's own.
    let known = try text(["ls-files", "-z", "--"] + folders.map { ":(top,literal)\($0)" })
      .split(separator: "\0")
    let own = folders.filter { folder in !known.contains { $0.hasPrefix(folder + "/") } }
    return (files, own.map { Self.leavingOut($0) + "/**" })
  }

  /// The pathspec that leaves a path out, which may be one that the user has git ignore.
  ///
  /// Of such a path `git add` complains when it is named, also when that is to leave it out; a pattern
  /// names nothing, and by its escaped first character each of these is one.
  private static func leavingOut(_ path: String) -> String {
    ":(top,exclude,glob)"
      + path.enumerated().map { index, character in
        index == 0 || "*?[\\".contains(character) ? "\\\(character)" : "\(character)"
      }.joined()
  }

  /// Whether a file that git does not know is a report, a comment or a decision that PerfKit wrote.
  private func isOwnOutput(_ path: String) -> Bool {
    switch (path as NSString).pathExtension {
    case "html": beginning(of: path).contains("<meta name=\"generator\" content=\"PerfKit\">")
    case "md": beginning(of: path).contains("<!-- perfkit-")
    case "xml": beginning(of: path).contains("<testsuites name=\"perfkit\"")
    default: false
    }
  }

  private func beginning(of path: String) -> String {
    guard let file = FileHandle(forReadingAtPath: "\(root)/\(path)") else { return "" }
    defer { try? file.close() }
    let bytes = (try? file.read(upToCount: 1024)) ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }
}
