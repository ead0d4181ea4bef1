internal import Foundation
internal import Glibc
internal import PerfModel

/// A git checkout; user input is never passed to a shell or to git as an option.
public struct GitCheckout: Sendable {
  /// A measurable state of a repository.
  public struct Revision: Hashable, Sendable {
    /// The user's name for the revision.
    public let name: String
    /// The commit that is built; for a work tree with changes, a commit without a branch.
    public let commit: String
    /// The base commit; equal to `commit` if there are no changes.
    public let head: String
    /// The hash of the content, which does not change when a measured work tree is committed.
    public let tree: String

    /// Whether the revision is a work tree with changes.
    public var isDirty: Bool { commit != head }

    /// A title such as `HEAD~1 (89c6a8a63c)`.
    public var title: String {
      let short = String(head.prefix(10))
      if isDirty { return "\(name) (\(short) with changes)" }
      return commit.hasPrefix(name) ? short : "\(name) (\(short))"
    }
  }

  /// The name of the checkout's content, including changes.
  public static let workTree = "WORKTREE"

  /// The root of the checkout.
  public private(set) var root: String
  /// The run store, which is ignored if it is in the checkout; nil if there is none.
  let store: String?
  /// Whether the user wants to stop a command; called ten times a second.
  let isCancelled: @Sendable () -> Bool
  /// Called with the process group of each command.
  var begin: @Sendable (pid_t) -> Void = { _ in }
  private let git: String
  private let environment: [String: String]

  /// Finds the checkout of a folder.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - variables: The environment variables of the process.
  ///   - store: The absolute path of the run store; the store and PerfKit's files beside it never
  ///     count as changes.
  ///   - isCancelled: Whether the user wants to stop; called ten times a second. It ends every git
  ///     command with `RevisionError.stopped`.
  /// - Throws: `RevisionError.gitNotFound`, `notACheckout`, `stopped`, or `git` if git refuses the
  ///   checkout, e.g. because it belongs to another user.
  public init(
    containing folder: String, variables: [String: String], store: String? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(RevisionError) {
    guard let git = ProgramFinder.path(of: "git", variables) else { throw .gitNotFound }
    environment = Self.leavingOutRepository(variables)
      .merging(["LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"]) { $1 }
    self.git = git
    self.store = store
    self.isCancelled = isCancelled
    root = folder
    let question = ["rev-parse", "--show-toplevel"]
    let run = try call(question)
    guard run.status == 0, run.output.hasPrefix("/") else {
      // Git reports this if neither the folder nor a parent is a checkout.
      let isNone = run.errors.isEmpty || run.errors.contains("not a git repository (or any")
      throw isNone ? .notACheckout(folder: folder) : Self.failure(of: run, question)
    }
    root = run.output
  }

  /// Git's variables that do not select a repository: configuration, access to remotes, and large
  /// files.
  private static let generalVariables = [
    "GIT_ALLOW_PROTOCOL", "GIT_ASKPASS", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_KEY_", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_VALUE_",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_HTTP_", "GIT_LFS_", "GIT_PROXY_", "GIT_SSH", "GIT_SSL_",
  ]

  /// Returns the variables except variables that select a repository.
  ///
  /// Git sets them for hooks, and they would override the working directory.
  static func leavingOutRepository(_ variables: [String: String]) -> [String: String] {
    variables.filter { name, _ in
      !name.hasPrefix("GIT_") || generalVariables.contains { name.hasPrefix($0) }
    }
  }

  /// Creates the checkout of a submodule.
  init(submodule root: String, of checkout: GitCheckout) {
    self = checkout
    self.root = root
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

  /// The options by which git runs no hook, and no program that watches files.
  ///
  /// Hooks belong to the user's work, not to trees that are only built.
  public static let withoutHooks = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]

  func call(
    _ arguments: [String], _ variables: [String: String] = [:]
  ) throws(RevisionError) -> CommandRun {
    guard !isCancelled() else { throw .stopped }
    let run: CommandRun
    do {
      run = try CommandRun(
        git, Self.withoutHooks + arguments, in: root,
        environment: environment.merging(variables) { $1 }, seconds: 600, isCancelled: isCancelled,
        begin: begin)
    } catch {
      throw .git(command: arguments.first ?? "", message: "\(error)")
    }
    guard !run.wasStopped else { throw .stopped }
    return run
  }
}
