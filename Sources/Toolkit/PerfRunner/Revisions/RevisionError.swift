internal import PerfModel

/// The reason why a revision cannot be built or measured.
public enum RevisionError: Error, Equatable, CustomStringConvertible {
  /// Git is not installed.
  case gitNotFound
  /// The folder is not in a checkout.
  case notACheckout(folder: String)
  /// The repository has no commit yet.
  case noCommits(root: String)
  /// No revision has the name.
  case unknownRevision(String, isShallow: Bool, hint: String)
  /// Two revisions have no common ancestor in the repository.
  case noMergeBase(String, String, isShallow: Bool)
  /// The target branch is unknown.
  case noTargetBranch(tried: [String])
  /// A change cannot be reverted in a revision.
  case cannotTakeBack(change: String, reason: String)
  /// A commit of a submodule is missing and cannot be fetched.
  case submodule(path: String, commit: String, reason: String)
  /// A git command failed.
  case git(command: String, message: String)
  /// The user stopped a git command.
  case stopped
  /// The repository has no build instructions.
  case noProjectFile(root: String)
  /// A revision lacks the folder of the project or of the command.
  case noFolder(folder: String, revision: String)
  /// A file of a command is in the checkout alone.
  case notInTree(path: String, revision: String)
  /// A build program is not installed.
  case buildToolNotFound(String)
  /// The build of a revision failed; `tail` is the end of the log.
  case buildFailed(revision: String, command: String, log: String, tail: String)
  /// The programs of a project cannot be linked with other layouts.
  case cannotLink(root: String)
  /// A program is not among those that are linked with other layouts.
  case notLinked(program: String, products: String)
  /// The links of a program have the same layout.
  case sameLayout(program: String)
  /// The link of a revision with another layout failed; `tail` is the end of the log.
  case linkFailed(revision: String, command: String, log: String, tail: String)
  /// Another process was building for too long.
  case locked(folder: String)
  /// A file or folder cannot be created.
  case notWritable(path: String, reason: String)

  private static let shallow =
    "This is a shallow clone. Fetch the rest with `git fetch --unshallow` (in CI: a fetch depth of "
    + "0)."

  private static func remedy(forUnknown name: String, isShallow: Bool) -> String {
    // No name in git begins like a path.
    if ["/", "./", "../"].contains(where: { name.hasPrefix($0) }) {
      return "Compare programs with `perfkit diff -- ./old -- ./new`."
    }
    return isShallow ? shallow : "If it was pushed elsewhere, run `git fetch`."
  }

  /// A message with the object, the cause and the remedy.
  public var description: String {
    switch self {
    case .gitNotFound:
      "git is not in PATH. Install git, or compare stored runs with `perfkit compare`."
    case .notACheckout(let folder):
      "'\(folder)' is not in a git checkout, so there are no revisions to build. Run perfkit in "
        + "a checkout, or compare variants with 'perfkit diff --variant X --variant Y', and programs "
        + "with 'perfkit diff -- ./old -- ./new'."
    case .noCommits(let root): "the repository '\(root)' has no commits yet. Make a first commit."
    case .unknownRevision(let name, let isShallow, let hint):
      "there is no revision '\(name)'\(hint.isEmpty ? "." : hint) "
        + Self.remedy(forUnknown: name, isShallow: isShallow)
    case .noMergeBase(let first, let second, let isShallow):
      "'\(first)' and '\(second)' have no common ancestor in this repository. "
        + (isShallow ? Self.shallow : "Pass the revision to compare with as --against.")
    case .noTargetBranch(let tried):
      "cannot find the target branch (tried \(tried.joined(separator: ", "))). "
        + "Pass a revision as --against."
    case .cannotTakeBack(let change, let reason):
      "the change \(change) cannot be reverted: \(reason)."
    case .submodule(let path, let commit, let reason):
      "the checkout lacks commit \(commit.prefix(10)) of the submodule '\(path)', and it cannot be "
        + "fetched: \(reason)\nFetch it with `git submodule update --init --recursive`, or with "
        + "`git fetch` in '\(path)', then repeat the command."
    case .git(let command, let message):
      "`git \(command)` failed: \(message)"
        + (message.contains("No space left on device")
          ? ". Free some space, or pass a --store on another disk." : "")
    case .stopped: "git was stopped. Repeat the command to continue."
    case .noProjectFile(let root):
      "cannot build '\(root)': it has neither perfkit.yml nor Package.swift. Write a perfkit.yml "
        + "with `build: [PROGRAM, ARGUMENTS]`."
    case .noFolder(let folder, let revision):
      "\(revision) has no folder '\(folder)', so that it cannot be measured. Choose a revision that "
        + "has the folder."
    case .notInTree(let path, let revision):
      "'\(path)' is in the checkout, but not in \(revision), where the command would run. Commit the "
        + "file, or write its absolute path to use one file for both sides."
    case .buildToolNotFound(let name):
      "cannot find the build program '\(name)' of perfkit.yml. Install it, or change `build`."
    case .buildFailed(let revision, let command, let log, let tail):
      "\(revision) does not build: `\(command)` failed. The log is '\(log)'; its end:\n\(tail)"
    case .cannotLink(let root):
      "cannot link the programs of '\(root)' with other layouts: they are not built by `swift build`, "
        + "and perfkit.yml has no `link`. Write the command that links them, with "
        + "\(LinkCommand.layoutMark) for the linker's options, or leave out --randomize-layout."
    case .notLinked(let program, let products):
      "'\(program)' is not linked with other layouts: it is no program in '\(products)'. Set `products` "
        + "in perfkit.yml to its folder, or leave out --randomize-layout."
    case .sameLayout(let program):
      "all links of '\(program)' have the same layout. Link it by LLD in `link` of perfkit.yml "
        + "(-fuse-ld=lld), and pass \(LinkCommand.layoutMark) to it."
    case .linkFailed(let revision, let command, let log, let tail):
      "\(revision) cannot be linked with another layout: `\(command)` failed. LLD 20 or later is needed "
        + "(see `ld.lld --version`). The log is '\(log)'; its end:\n\(tail)"
    case .locked(let folder):
      "another perfkit is building in '\(folder)'. Wait until it ends, then repeat the command."
    case .notWritable(let path, let reason):
      "cannot write '\(path)': \(reason). Free some space or fix its permissions, or pass a --store "
        + "in another folder."
    }
  }
}
