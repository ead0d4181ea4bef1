internal import Foundation
internal import Glibc

extension GitCheckout {
  /// The message of commits of a checkout's content.
  static let contentMessage = "The content of the checkout"

  /// Creates a commit of the checkout's content without touching its index or branches.
  ///
  /// The same content on the same commit gives the same hash, so its build is found again.
  /// PerfKit's own files are left out; otherwise its report would count as a change.
  func workTreeRevision() throws(RevisionError) -> Revision {
    guard let head = try commit(of: "HEAD") else { throw .noCommits(root: root) }
    let own = absolute(try text(["rev-parse", "--git-path", "index"]))
    let path = indexPlace + "perfkit-index-\(UUID().uuidString)"
    let folder = try ScratchFolder(path)
    defer { folder.remove() }
    let copy = path + "/index"
    // A copy of the index avoids reading unchanged files. Its date is kept, because git reads files
    // again that changed in the second of their index.
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
    let commit = try self.commit(tree: tree, on: head, dateOf: head, Self.contentMessage)
    return Revision(name: Self.workTree, commit: commit, head: head, tree: tree)
  }

  /// The folder of temporary indexes, with a slash.
  ///
  /// In `.perfkit`, which is never a part of the content, the next run removes what a killed process has
  /// left.
  private var indexPlace: String {
    let folder = store.map { ($0 as NSString).deletingLastPathComponent } ?? ""
    return folder.hasSuffix("/.perfkit") ? folder + "/scratch/" : NSTemporaryDirectory()
  }

  /// Protects a revision's commit from git's garbage collection, by a reference that is no branch.
  ///
  /// - Throws: `RevisionError.git`.
  public func protect(_ revision: Revision, as name: String) throws(RevisionError) {
    _ = try text(["update-ref", "refs/perfkit/\(name)", revision.commit])
  }

  private func addChanges(_ index: [String: String]) throws(RevisionError) {
    let store = try storeFiles()
    // Tracked files belong to the user, wherever they are; only the store is never a change.
    _ = try text(["add", "--update", "--", ":/"] + store.files, index)
    let hidden = store.files + store.folders
    let new = try text(
      ["ls-files", "--others", "--exclude-standard", "-z", "--", ":/"] + hidden, index
    ).split(separator: "\0").map(String.init)
    let reports = new.filter(isOwnOutput).map { ":(top,exclude,literal)\($0)" }
    guard new.count > reports.count else { return }
    _ = try text(["add", "--all", "--", ":/"] + hidden + reports, index)
  }

  /// Returns the run store and the files beside it as pathspecs that exclude them.
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
    files += ["", "-wal", "-shm", "-journal", "-hub"].map {
      Self.leavingOut("\(place)\(name)\($0)")
    }
    let folders = ["builds", "data", "scratch"].map { "\(place)\($0)" }
    // A folder with a tracked file belongs to the user.
    let known = try text(["ls-files", "-z", "--"] + folders.map { ":(top,literal)\($0)" })
      .split(separator: "\0")
    let own = folders.filter { folder in !known.contains { $0.hasPrefix(folder + "/") } }
    return (files, own.map { Self.leavingOut($0) + "/**" })
  }

  /// Returns the pathspec that excludes a path, even if git ignores it.
  ///
  /// `git add` reports an error for an ignored path, even in an exclusion. A pattern is not
  /// reported, and the escaped first character turns the path into a pattern.
  private static func leavingOut(_ path: String) -> String {
    ":(top,exclude,glob)"
      + path.enumerated().map { index, character in
        index == 0 || "*?[\\".contains(character) ? "\\\(character)" : "\(character)"
      }.joined()
  }

  /// Returns whether an untracked file is a report, a comment or a decision written by PerfKit.
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
