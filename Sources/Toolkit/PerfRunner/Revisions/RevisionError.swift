internal import PerfModel

/// Why a revision cannot be built or measured.
public enum RevisionError: Error, Equatable, CustomStringConvertible {
  /// There is no git on this machine.
  case gitNotFound
  /// The folder is in no checkout.
  case notACheckout(folder: String)
  /// The repository has no commit yet.
  case noCommits(root: String)
  /// No revision is called so.
  case unknownRevision(String, isShallow: Bool, hint: String)
  /// Two revisions have no common ancestor that is here.
  case noMergeBase(String, String, isShallow: Bool)
  /// Nothing says what the target branch is.
  case noTargetBranch(tried: [String])
  /// A change cannot be taken out of a revision.
  case cannotTakeBack(change: String, reason: String)
  /// The checkout lacks a commit of a submodule, and so does where it comes from.
  case submodule(path: String, commit: String, reason: String)
  /// Git said no.
  case git(command: String, message: String)
  /// The user stopped what git does.
  case stopped
  /// Nothing says how the repository is built.
  case noProjectFile(root: String)
  /// A program that builds it is not there.
  case buildToolNotFound(String)
  /// A revision does not build; the last lines of the log.
  case buildFailed(revision: String, command: String, log: String, tail: String)
  /// Another process builds for longer than we waited.
  case locked(folder: String)
  /// A file or folder cannot be made.
  case notWritable(path: String, reason: String)

  /// What failed, on which object, why, and what to do next.
  public var description: String {
    switch self {
    case .gitNotFound:
      "there is no git in PATH. Install git, or compare stored runs by `perfkit compare`."
    case .notACheckout(let folder):
      "'\(folder)' is in no git checkout, so there are no revisions to build. Run perfkit in one, "
        + "or compare variants by --variant X --variant Y."
    case .noCommits(let root): "the repository '\(root)' has no commit yet. Commit something."
    case .unknownRevision(let name, let isShallow, let hint):
      "there is no revision '\(name)'\(hint.isEmpty ? "." : hint) "
        + (isShallow
          ? "This is a shallow clone: `git fetch --unshallow` (in CI: a fetch depth of 0) brings "
            + "the rest."
          : "`git fetch` brings what others have pushed.")
    case .noMergeBase(let first, let second, let isShallow):
      "'\(first)' and '\(second)' have no common ancestor here. "
        + (isShallow
          ? "This is a shallow clone: `git fetch --unshallow` (in CI: a fetch depth of 0) brings it."
          : "Name the revision to compare with by --against.")
    case .noTargetBranch(let tried):
      "cannot tell the target branch (there is none of \(tried.joined(separator: ", "))). "
        + "Name a revision by --against."
    case .cannotTakeBack(let change, let reason):
      "the change \(change) cannot be taken back: \(reason)."
    case .submodule(let path, let commit, let reason):
      "the checkout lacks commit \(commit.prefix(10)) of the submodule '\(path)', and it cannot be "
        + "fetched: \(reason)\nBring it by `git submodule update --init --recursive`, or `git fetch` in "
        + "'\(path)', and repeat the command."
    case .git(let command, let message):
      "`git \(command)` failed: \(message)"
        + (message.contains("No space left on device")
          ? ". Free some space, or pass a --store on another disk." : "")
    case .stopped: "git was stopped. The same command begins again with what git was at."
    case .noProjectFile(let root):
      "nothing says how '\(root)' is built: it has no perfkit.yml and no Package.swift. Write a "
        + "perfkit.yml with `build: [PROGRAM, ARGUMENTS]`."
    case .buildToolNotFound(let name):
      "cannot find '\(name)', with which perfkit.yml builds. Install it, or change `build`."
    case .buildFailed(let revision, let command, let log, let tail):
      "\(revision) does not build: `\(command)` failed. The log is '\(log)'; its end:\n\(tail)"
    case .locked(let folder):
      "another perfkit builds in '\(folder)'. Let it end and repeat the command."
    case .notWritable(let path, let reason):
      "cannot write '\(path)': \(reason). Free some space or fix its permissions, or pass a --store "
        + "in another folder."
    }
  }
}
