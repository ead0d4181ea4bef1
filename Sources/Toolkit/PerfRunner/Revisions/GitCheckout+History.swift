extension GitCheckout {
  /// Returns the addresses of the remotes; none for a repository without remotes.
  ///
  /// - Throws: `RevisionError.stopped`.
  public func remotes() throws(RevisionError) -> [String] {
    let lines = try call(["config", "--get-regexp", #"^remote\..*\.url$"#]).output
    return lines.split(separator: "\n").compactMap { line in
      line.split(separator: " ", maxSplits: 1).dropFirst().first.map(String.init)
    }
  }

  /// Commits in the order of their history.
  public struct History: Hashable, Sendable {
    /// The requested commits and all commits between them, parents before children.
    public let order: [String]
    /// The first lines of the requested commits' messages.
    public let summaries: [String: String]
    /// The requested commits that HEAD does not contain, such as those of other branches.
    public var elsewhere: Set<String> = []
  }

  /// Returns the history of some commits; unknown commits are left out.
  ///
  /// - Parameter commits: Hashes; other texts are ignored and never passed to git.
  /// - Returns: The order and messages; both are empty if no commit is known.
  /// - Throws: `RevisionError.git`.
  public func history(of commits: [String]) throws(RevisionError) -> History {
    let hashes = Set(commits).filter { commit in
      [40, 64].contains(commit.utf8.count)
        && commit.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
    guard !hashes.isEmpty else { return History(order: [], summaries: [:]) }
    let lines = try text(
      [
        "log", "--no-show-signature", "--no-walk=unsorted", "--ignore-missing", "--encoding=UTF-8",
        "--format=%H %s",
      ]
        + hashes.sorted() + ["--"]
    ).split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
    let summaries = Dictionary(
      lines.map { ($0[0], $0.count > 1 ? $0[1] : "") }
    ) { first, _ in first }
    let known = summaries.keys.sorted()
    guard !known.isEmpty else { return History(order: [], summaries: [:]) }
    // Commits before the common ancestor may be many, and do not affect the order.
    let base = try call(["merge-base", "--octopus"] + known)
    let end = base.status == 0 && !base.output.isEmpty ? ["^\(base.output)^@"] : []
    let order = try text(["rev-list", "--topo-order", "--reverse"] + known + end + ["--"])
    var history = History(
      order: order.split(separator: "\n").map(String.init), summaries: summaries)
    // It fails if HEAD has no commit; then no run is left out.
    let contained = try call(["rev-list", "HEAD"] + end + ["--"])
    if contained.status == 0 {
      history.elsewhere = Set(known)
        .subtracting(contained.output.split(separator: "\n").map(String.init))
    }
    return history
  }

  /// Returns whether a commit is another commit or an ancestor of it; false if unknown, as in a
  /// shallow clone.
  public func isAncestor(_ commit: String, of other: String) -> Bool {
    (try? call(["merge-base", "--is-ancestor", commit, other]))?.status == 0
  }

  /// Returns whether git ignores an untracked file; false for files outside of the repository.
  public func isIgnored(_ path: String) -> Bool {
    (try? call(["check-ignore", "--quiet", "--", path]))?.status == 0
  }

  /// Returns whether a commit contains a file; false for files outside of the repository.
  ///
  /// - Parameters:
  ///   - path: The absolute path of the file in the checkout.
  ///   - commit: The commit.
  /// - Returns: Whether the file exists.
  public func hasFile(_ path: String, in commit: String) -> Bool {
    guard path.hasPrefix(root + "/") else { return false }
    let name = path.dropFirst(root.count + 1)
    return (try? call(["cat-file", "-e", "\(commit):\(name)"]))?.status == 0
  }
}
