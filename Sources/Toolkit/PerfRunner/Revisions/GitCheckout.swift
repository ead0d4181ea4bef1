internal import Foundation
internal import Glibc
internal import PerfModel

/// A git checkout; what users name never reaches a shell, nor git as an option.
public struct GitCheckout: Sendable {
  /// What is measured of a repository.
  public struct Revision: Hashable, Sendable {
    /// What the user calls it.
    public let name: String
    /// The commit whose tree is built; of a work tree with changes one that no branch has.
    public let commit: String
    /// The commit that it stands on; `commit` itself unless it has changes.
    public let head: String
    /// The hash of its content: what was measured and then committed has the same.
    public let tree: String

    /// Whether it is a work tree with changes.
    public var isDirty: Bool { commit != head }

    /// It in words, as `HEAD~1 (89c6a8a63c)`.
    public var title: String {
      let short = String(head.prefix(10))
      if isDirty { return "\(name) (\(short) with changes)" }
      return commit.hasPrefix(name) ? short : "\(name) (\(short))"
    }
  }

  /// The name of what lies in the checkout now, changes included.
  public static let workTree = "WORKTREE"

  /// The root of the checkout.
  public let root: String
  /// The run store, which may lie in the checkout and is no part of it; nil when there is none.
  let store: String?
  private let git: String
  private let environment: [String: String]

  /// Finds the checkout that a folder is in.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - variables: The environment variables of the process.
  ///   - store: The absolute path of the run store: it, and what PerfKit keeps beside it, is never taken
  ///     for a change.
  /// - Throws: `RevisionError.gitNotFound` or `notACheckout`.
  public init(
    containing folder: String, variables: [String: String], store: String? = nil
  ) throws(RevisionError) {
    guard let git = ProgramFinder.path(of: "git", variables) else { throw .gitNotFound }
    // A hook of git's own sets these, and they would win over the folder.
    environment = variables.filter { !$0.key.hasPrefix("GIT_") }
      .merging(["LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"]) { $1 }
    self.git = git
    self.store = store
    let run = try Self.run(git, ["rev-parse", "--show-toplevel"], folder, environment)
    guard run.status == 0, run.output.hasPrefix("/") else { throw .notACheckout(folder: folder) }
    root = run.output
  }

  /// The checkout of a submodule.
  init(submodule root: String, of checkout: GitCheckout) {
    self.root = root
    store = checkout.store
    git = checkout.git
    environment = checkout.environment
  }

  // MARK: - Revisions

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

  /// Returns the files in which two revisions differ, from the root.
  ///
  /// - Throws: `RevisionError.git`.
  public func changedFiles(from old: Revision, to new: Revision) throws(RevisionError) -> [String] {
    try text(["diff", "--name-only", "-z", old.commit, new.commit])
      .split(separator: "\0").map(String.init)
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
    try text(["show", "--no-patch", "--format=%s", commit, "--"])
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
    let date = try text(["show", "--no-patch", "--format=%cI", head])
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

  // MARK: - Trees

  /// Puts the tree of a commit into a folder, submodules included.
  ///
  /// - Throws: `RevisionError.git` or `submodule`.
  func checkOut(_ commit: String, into folder: String) throws(RevisionError) {
    // A cache of CI may bring a tree back that git knows nothing of.
    let head = try call(["-C", folder, "rev-parse", "HEAD"])
    let isTree = FileManager.default.fileExists(atPath: folder + "/.git") && head.status == 0
    if !isTree { try? FileManager.default.removeItem(atPath: folder) }
    if isTree {
      _ = try text([
        "-C", folder, "checkout", "--quiet", "--force", "--no-recurse-submodules", "--detach",
        commit,
      ])
    } else {
      _ = try text(["worktree", "prune"])
      _ = try text(["worktree", "add", "--quiet", "--force", "--detach", folder, commit])
    }
    try placeSubmodules(of: commit, into: folder)
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

  // MARK: - Calls

  func text(
    _ arguments: [String], _ variables: [String: String] = [:]
  ) throws(RevisionError) -> String {
    let run = try call(arguments, variables)
    guard run.status == 0 else {
      throw .git(
        command: arguments.joined(separator: " "),
        message: run.errors.isEmpty ? "it exited with \(run.status ?? -1)" : run.errors)
    }
    return run.output
  }

  func call(
    _ arguments: [String], _ variables: [String: String] = [:]
  ) throws(RevisionError) -> CommandRun {
    try Self.run(git, arguments, root, environment.merging(variables) { $1 })
  }

  private static func run(
    _ git: String, _ arguments: [String], _ folder: String, _ environment: [String: String]
  ) throws(RevisionError) -> CommandRun {
    do {
      return try CommandRun(
        git, arguments, in: folder, environment: environment, seconds: 600)
    } catch {
      throw .git(command: arguments.first ?? "", message: "\(error)")
    }
  }
}
