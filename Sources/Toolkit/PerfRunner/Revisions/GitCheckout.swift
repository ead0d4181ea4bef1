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
  /// Who looks after its calls of git.
  var watch: Watch
  private let git: String
  private let environment: [String: String]

  /// What looks after calls of git.
  struct Watch: Sendable {
    /// Whether the user wants to stop, which ends a call; asked ten times a second.
    var isCancelled: @Sendable () -> Bool
    /// Called with the process group of each call.
    var begin: @Sendable (pid_t) -> Void = { _ in }
  }

  /// Finds the checkout that a folder is in.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - variables: The environment variables of the process.
  ///   - store: The absolute path of the run store: it, and what PerfKit keeps beside it, is never taken
  ///     for a change.
  ///   - isCancelled: Whether the user wants to stop, by which every call of git ends, whatever it is for, with
  ///     `RevisionError.stopped`; asked ten times a second.
  /// - Throws: `RevisionError.gitNotFound`, `notACheckout`, `stopped`, or `git` for one that git refuses to
  ///   use, as one that belongs to another user.
  public init(
    containing folder: String, variables: [String: String], store: String? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(RevisionError) {
    guard let git = ProgramFinder.path(of: "git", variables) else { throw .gitNotFound }
    environment = Self.leavingOutRepository(variables)
      .merging(["LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"]) { $1 }
    self.git = git
    self.store = store
    watch = Watch(isCancelled: isCancelled)
    let question = ["rev-parse", "--show-toplevel"]
    let run = try Self.run(git, question, folder, environment, watch)
    guard run.status == 0, run.output.hasPrefix("/") else {
      // So it says where no folder above is one.
      let isNone = run.errors.isEmpty || run.errors.contains("not a git repository (or any")
      throw isNone ? .notACheckout(folder: folder) : Self.failure(of: run, question)
    }
    root = run.output
  }

  /// Git's variables that say nothing of which repository it is: what is configured for all, how others are
  /// reached, and whether large files are fetched.
  private static let generalVariables = [
    "GIT_ALLOW_PROTOCOL", "GIT_ASKPASS", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_KEY_", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_VALUE_",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_HTTP_", "GIT_LFS_", "GIT_PROXY_", "GIT_SSH", "GIT_SSL_",
  ]

  /// Leaves out the variables that a hook of git's own is given: they would win over the folder that git
  /// runs in.
  static func leavingOutRepository(_ variables: [String: String]) -> [String: String] {
    variables.filter { name, _ in
      !name.hasPrefix("GIT_") || generalVariables.contains { name.hasPrefix($0) }
    }
  }

  /// The checkout of a submodule.
  init(submodule root: String, of checkout: GitCheckout) {
    self.root = root
    store = checkout.store
    watch = checkout.watch
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

  // MARK: - Trees

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

  // MARK: - Calls

  func text(
    _ arguments: [String], _ variables: [String: String] = [:]
  ) throws(RevisionError) -> String {
    let run = try call(arguments, variables)
    guard run.status == 0 else { throw Self.failure(of: run, arguments) }
    return run.output
  }

  private static func failure(of run: CommandRun, _ arguments: [String]) -> RevisionError {
    .git(
      command: arguments.joined(separator: " "),
      message: run.errors.isEmpty ? "it exited with \(run.status ?? -1)" : run.errors)
  }

  func call(
    _ arguments: [String], _ variables: [String: String] = [:]
  ) throws(RevisionError) -> CommandRun {
    try Self.run(git, arguments, root, environment.merging(variables) { $1 }, watch)
  }

  private static func run(
    _ git: String, _ arguments: [String], _ folder: String, _ environment: [String: String],
    _ watch: Watch
  ) throws(RevisionError) -> CommandRun {
    guard !watch.isCancelled() else { throw .stopped }
    let run: CommandRun
    do {
      run = try CommandRun(
        git, arguments, in: folder, environment: environment, seconds: 600,
        isCancelled: watch.isCancelled, begin: watch.begin)
    } catch {
      throw .git(command: arguments.first ?? "", message: "\(error)")
    }
    guard !run.wasStopped else { throw .stopped }
    return run
  }
}
