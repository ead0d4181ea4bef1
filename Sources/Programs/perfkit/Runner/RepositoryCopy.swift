internal import Foundation
internal import PerfGate
internal import PerfModel
internal import PerfRunner

/// A copy of a repository that a runner measures revisions of.
struct RepositoryCopy {
  /// The folder of the copy.
  let folder: String
  private let address: String
  private let context: Context
  private let isWanted: () -> Bool

  /// Fetches a repository into a folder of its own.
  ///
  /// - Parameters:
  ///   - address: The URL or path.
  ///   - folder: The folder of all copies.
  ///   - context: The surroundings.
  ///   - isWanted: Whether the copy is still needed.
  /// - Throws: `Failure` with git's message.
  init(
    of address: String, in folder: String, _ context: Context, isWanted: @escaping () -> Bool
  ) throws {
    self.address = address
    self.context = context
    self.isWanted = isWanted
    self.folder = "\(folder)/\(StableHash.text(of: address))"
    guard !address.hasPrefix("-") else {
      throw Failure("'\(address)' is no address of a repository.")
    }
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // A killed clone leaves a folder that git does not accept.
    if git(in: self.folder, "rev-parse", "--git-dir").status != 0 {
      try? FileManager.default.removeItem(atPath: self.folder)
      try require(
        git(in: folder, "clone", "--quiet", "--no-checkout", "--", address, self.folder))
    } else {
      try require(
        git(in: self.folder, "fetch", "--quiet", "--force", "--prune", "--tags", "origin"))
    }
  }

  /// Returns the commit of a revision.
  ///
  /// - Throws: `Failure` if the repository lacks it.
  func commit(_ revision: String) throws -> String {
    guard !revision.hasPrefix("-") else { throw Failure("'\(revision)' is no revision.") }
    for name in ["refs/remotes/origin/\(revision)", "refs/tags/\(revision)", revision] {
      if let commit = commit(named: name) { return commit }
    }
    // Servers give commits that no branch contains, e.g. of pull requests, by their full names.
    if git(in: folder, "fetch", "--quiet", "origin", revision).status == 0,
      let commit = commit(named: "FETCH_HEAD")
    {
      return commit
    }
    throw Failure(
      "repository '\(address)' has no revision '\(revision)'. Push it, then submit the job again.")
  }

  private func commit(named name: String) -> String? {
    let found = git(in: folder, "rev-parse", "--verify", "--quiet", "\(name)^{commit}")
    return found.status == 0 ? found.output : nil
  }

  /// Writes the files of a commit into the folder.
  ///
  /// - Throws: `Failure` with git's message.
  func checkOut(_ commit: String) throws {
    try require(git(in: folder, "checkout", "--quiet", "--force", "--detach", commit))
  }

  private typealias Result = (status: Int32, output: String, errors: String)

  private func git(in folder: String, _ words: String...) -> Result {
    // A question would hang the runner.
    let variables = context.workspace.variables.merging(
      ["GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"]) { $1 }
    do {
      let child = try ChildProgram(
        ChildProgram.Program(path: "/usr/bin/env", directory: folder, variables: variables),
        ["git"] + GitCheckout.withoutHooks + words)
      let status = child.finish(while: isWanted)
      return (
        status,
        String(decoding: child.text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines),
        child.messages.joined(separator: " ")
      )
    } catch {
      return (127, "", "\(error)")
    }
  }

  private func require(_ result: Result) throws {
    guard result.status == 0 else {
      throw Failure("cannot fetch repository '\(address)': \(result.errors).")
    }
  }
}
