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
