extension GitCheckout {
  /// Commits in the order of their history.
  public struct History: Hashable, Sendable {
    /// All commits from the first of those asked for to the last, those between included; parents come
    /// before their children.
    public let order: [String]
    /// The first lines of the messages of those asked for.
    public let summaries: [String: String]
  }

  /// Returns the history that some commits are of; what the repository does not have is left out.
  ///
  /// - Parameter commits: Hashes; whatever is none is left out, and never reaches git.
  /// - Returns: Their order and messages; both empty when none is there.
  /// - Throws: `RevisionError.git`.
  public func history(of commits: [String]) throws(RevisionError) -> History {
    let hashes = Set(commits).filter { commit in
      [40, 64].contains(commit.utf8.count)
        && commit.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
    guard !hashes.isEmpty else { return History(order: [], summaries: [:]) }
    let lines = try text(
      ["log", "--no-show-signature", "--no-walk=unsorted", "--ignore-missing", "--format=%H %s"]
        + hashes.sorted() + ["--"]
    ).split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
    let summaries = Dictionary(
      lines.map { ($0[0], $0.count > 1 ? $0[1] : "") }
    ) { first, _ in first }
    let known = summaries.keys.sorted()
    guard !known.isEmpty else { return History(order: [], summaries: [:]) }
    // What lies before their common ancestor may be long, and says nothing of their order.
    let base = try call(["merge-base", "--octopus"] + known)
    let end = base.status == 0 && !base.output.isEmpty ? ["^\(base.output)^@"] : []
    let order = try text(["rev-list", "--topo-order", "--reverse"] + known + end + ["--"])
    return History(order: order.split(separator: "\n").map(String.init), summaries: summaries)
  }

  /// Whether a commit is another one or among those that it comes after; false where that is not
  /// known, as in a shallow clone.
  public func isAncestor(_ commit: String, of other: String) -> Bool {
    (try? call(["merge-base", "--is-ancestor", commit, other]))?.status == 0
  }

  /// Whether a commit has a file; false of one outside of the repository.
  ///
  /// - Parameters:
  ///   - path: The file's absolute path in the checkout.
  ///   - commit: The commit.
  /// - Returns: Whether it is there.
  public func hasFile(_ path: String, in commit: String) -> Bool {
    guard path.hasPrefix(root + "/") else { return false }
    let name = path.dropFirst(root.count + 1)
    return (try? call(["cat-file", "-e", "\(commit):\(name)"]))?.status == 0
  }
}
