internal import PerfModel

extension GitCheckout {
  /// Returns the revision with a name.
  ///
  /// - Parameter name: A commit in git's notation, `A...B` for the merge base of two commits, or
  ///   `WORKTREE`.
  /// - Returns: The revision; for uncommitted changes, a commit without a branch.
  /// - Throws: `RevisionError.unknownRevision`, `noMergeBase`, `noCommits` or `git`.
  public func revision(_ name: String) throws(RevisionError) -> Revision {
    guard name != Self.workTree else { return try workTreeRevision() }
    // The name of a reference cannot contain two points in a row.
    let ends = name.split(separator: "...", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "HEAD" : String($0) }
    if ends.count == 2 { return try mergeBase(of: ends[0], with: ends[1]) }
    guard let commit = try commit(of: name) else {
      guard try commit(of: "HEAD") != nil else { throw .noCommits(root: root) }
      throw .unknownRevision(name, isShallow: try isShallow(), hint: try hint(for: name))
    }
    return try revision(named: name, commit: commit, head: base(of: commit))
  }

  /// Returns the merge base of two revisions.
  ///
  /// - Throws: `RevisionError.unknownRevision` or `noMergeBase`.
  public func mergeBase(of name: String, with other: String) throws(RevisionError) -> Revision {
    let commits = (try revision(name).head, try revision(other).head)
    let found = try call(["merge-base", commits.0, commits.1])
    guard found.status == 0 else {
      throw .noMergeBase(name, other, isShallow: try isShallow())
    }
    return try revision(
      named: "the merge base with \(other)", commit: found.output, head: found.output)
  }

  /// Returns the branch that changes are usually merged into.
  ///
  /// - Throws: `RevisionError.noTargetBranch`.
  public func targetBranch() throws(RevisionError) -> String {
    let names = ["origin/HEAD", "origin/main", "origin/master", "main", "master"]
    for name in names where try commit(of: name) != nil { return name }
    throw .noTargetBranch(tried: names)
  }

  /// Returns the commits after one commit up to another along first parents, the oldest first.
  ///
  /// Only descendants of the first commit are returned: other commits lack its content.
  ///
  /// - Throws: `RevisionError.git`.
  public func commits(after good: Revision, to bad: Revision) throws(RevisionError) -> [String] {
    func list(_ option: String) throws(RevisionError) -> [String] {
      try text(["rev-list", option, "--reverse", bad.commit, "^\(good.commit)"])
        .split(separator: "\n").map(String.init)
    }
    let descendants = Set(try list("--ancestry-path"))
    return try list("--first-parent").filter { descendants.contains($0) }
  }

  /// Returns the branches of a merge, each with the commit at which it began and its commits, the oldest
  /// first; empty for other commits.
  ///
  /// A branch without a common history is left out.
  ///
  /// - Throws: `RevisionError.git`.
  public func branches(
    mergedBy commit: String
  ) throws(RevisionError) -> [(start: Revision, commits: [String])] {
    let parents = try text(["rev-parse", "\(commit)^@"]).split(separator: "\n").map(String.init)
    var branches: [(start: Revision, commits: [String])] = []
    for parent in parents.dropFirst() {
      guard let start = try? mergeBase(of: parent, with: parents[0]) else { continue }
      let commits = try commits(after: start, to: revision(parent))
      if !commits.isEmpty { branches.append((start, commits)) }
    }
    return branches
  }

  /// Returns the paths that differ between two revisions, relative to the root.
  ///
  /// A moved file has both paths; changed submodules are included regardless of git's
  /// configuration.
  ///
  /// - Throws: `RevisionError.git`.
  public func changedFiles(from old: Revision, to new: Revision) throws(RevisionError) -> [String] {
    try text([
      "diff-tree", "-r", "--name-only", "-z", "--no-renames", "--ignore-submodules=none",
      old.commit, new.commit,
    ]).split(separator: "\0").map(String.init)
  }

  /// Returns the paths in a folder of a revision, relative to the root; empty if the folder is
  /// missing.
  ///
  /// - Throws: `RevisionError.git`.
  public func files(in folder: String, of revision: Revision) throws(RevisionError) -> [String] {
    let folder = folder.hasSuffix("/") ? folder : folder + "/"
    return try text(["ls-tree", "--name-only", "-z", revision.commit, "--", folder])
      .split(separator: "\0").map(String.init)
  }

  /// Returns the content of a file of a revision as text without surrounding white space.
  ///
  /// - Parameters:
  ///   - path: The path from the root.
  ///   - revision: The revision.
  /// - Returns: The text; nil if there is no such regular file.
  /// - Throws: `RevisionError.git`.
  public func text(of path: String, in revision: Revision) throws(RevisionError) -> String? {
    let entry = try text(["ls-tree", revision.commit, "--", path])
    // An entry is `100644 blob HASH`, a tab and the path; the mode of a link begins with 12.
    let words = entry.split(whereSeparator: \.isWhitespace)
    guard words.count > 2, words[0].hasPrefix("100"), words[1] == "blob" else { return nil }
    return try text(["cat-file", "blob", String(words[2])])
  }

  /// Returns the first line of a commit's message.
  ///
  /// - Throws: `RevisionError.git`.
  public func subject(of commit: String) throws(RevisionError) -> String {
    try text([
      "show", "--no-show-signature", "--no-patch", "--encoding=UTF-8", "--format=%s", commit, "--",
    ])
  }

  /// Returns a revision with its content's hash.
  func revision(
    named name: String, commit: String, head: String
  ) throws(RevisionError) -> Revision {
    Revision(
      name: name, commit: commit, head: head,
      tree: try text(["rev-parse", "\(commit)^{tree}"]))
  }

  /// Returns the commit below the content of a measured checkout; another commit itself.
  private func base(of commit: String) throws(RevisionError) -> String {
    let lines = try text([
      "show", "--no-show-signature", "--no-patch", "--format=%s%n%P", commit,
    ]).split(separator: "\n")
    return lines.count == 2 && lines[0] == Self.contentMessage ? String(lines[1]) : commit
  }

  /// Returns the commit of a name, or nil.
  func commit(of name: String) throws(RevisionError) -> String? {
    let found = try call([
      "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}",
    ])
    return found.status == 0 && !found.output.isEmpty ? found.output : nil
  }

  /// Returns whether tracked files differ from the last commit.
  func hasChanges() throws(RevisionError) -> Bool {
    !(try text(["status", "--porcelain", "--untracked-files=no"])).isEmpty
  }

  /// Creates a commit without a branch; the same content gives the same hash.
  func commit(
    tree: String, on parent: String, dateOf head: String, _ message: String
  ) throws(RevisionError) -> String {
    let date = try text(["show", "--no-show-signature", "--no-patch", "--format=%cI", head])
    let author = ["AUTHOR", "COMMITTER"].reduce(into: [String: String]()) { variables, role in
      variables["GIT_\(role)_NAME"] = "perfkit"
      variables["GIT_\(role)_EMAIL"] = "perfkit"
      variables["GIT_\(role)_DATE"] = date
    }
    return try text(["commit-tree", tree, "-p", parent, "-m", message], author)
  }

  private func isShallow() throws(RevisionError) -> Bool {
    try text(["rev-parse", "--is-shallow-repository"]) == "true"
  }

  private func hint(for name: String) throws(RevisionError) -> String {
    let names = try text(["for-each-ref", "--format=%(refname:short)"])
    return NearestName.hint(for: name, among: names.split(separator: "\n").map(String.init))
  }
}
