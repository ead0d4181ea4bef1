internal import PerfModel

extension GitCheckout {
  /// Returns the revision of a name.
  ///
  /// - Parameter name: What git takes for a commit, or `WORKTREE`.
  /// - Returns: Its commit; of changes that are not committed one that no branch has.
  /// - Throws: `RevisionError.unknownRevision`, `noCommits` or `git`.
  public func revision(_ name: String) throws(RevisionError) -> Revision {
    guard name != Self.workTree else { return try workTreeRevision() }
    guard let commit = try commit(of: name) else {
      guard try commit(of: "HEAD") != nil else { throw .noCommits(root: root) }
      throw .unknownRevision(name, isShallow: try isShallow(), hint: try hint(for: name))
    }
    return try revision(named: name, commit: commit, head: commit)
  }

  /// Returns where a branch left another one.
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

  /// Returns the branch that changes are usually meant for.
  ///
  /// - Throws: `RevisionError.noTargetBranch`.
  public func targetBranch() throws(RevisionError) -> String {
    let names = ["origin/HEAD", "origin/main", "origin/master", "main", "master"]
    for name in names where try commit(of: name) != nil { return name }
    throw .noTargetBranch(tried: names)
  }

  /// Returns the commits after one up to another along the first parents, the oldest first.
  ///
  /// Where a merge brought in the former, what its first parents had before does not count: it lacks
  /// what the former has.
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

  /// Returns the files in which two revisions differ, from the root: of one that was moved both names, and
  /// each submodule, whatever of that git is set to pass over.
  ///
  /// - Throws: `RevisionError.git`.
  public func changedFiles(from old: Revision, to new: Revision) throws(RevisionError) -> [String] {
    try text([
      "diff-tree", "-r", "--name-only", "-z", "--no-renames", "--ignore-submodules=none",
      old.commit, new.commit,
    ]).split(separator: "\0").map(String.init)
  }

  /// Returns the paths of what lies in a folder of a revision, from the root; of a folder that it lacks
  /// there is nothing.
  ///
  /// - Throws: `RevisionError.git`.
  public func files(in folder: String, of revision: Revision) throws(RevisionError) -> [String] {
    let folder = folder.hasSuffix("/") ? folder : folder + "/"
    return try text(["ls-tree", "--name-only", "-z", revision.commit, "--", folder])
      .split(separator: "\0").map(String.init)
  }

  /// Returns the first line of a commit's message.
  ///
  /// - Throws: `RevisionError.git`.
  public func subject(of commit: String) throws(RevisionError) -> String {
    try text(["show", "--no-show-signature", "--no-patch", "--format=%s", commit, "--"])
  }

  /// Looks its content up.
  func revision(
    named name: String, commit: String, head: String
  ) throws(RevisionError) -> Revision {
    Revision(
      name: name, commit: commit, head: head,
      tree: try text(["rev-parse", "\(commit)^{tree}"]))
  }

  /// The commit of a name; nil when there is none.
  func commit(of name: String) throws(RevisionError) -> String? {
    let found = try call([
      "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}",
    ])
    return found.status == 0 && !found.output.isEmpty ? found.output : nil
  }

  /// Whether files that git knows differ from the last commit.
  func hasChanges() throws(RevisionError) -> Bool {
    !(try text(["status", "--porcelain", "--untracked-files=no"])).isEmpty
  }

  /// Makes a commit that no branch has; the same content gives the same hash.
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
