extension GitCheckout {
  /// Returns a revision with a change taken back: a commit on top of it that no branch has.
  ///
  /// The difference between two revisions is merged backwards, as `git revert` does with one commit;
  /// neither the checkout nor its index is touched.
  ///
  /// - Parameters:
  ///   - head: What the change is taken out of.
  ///   - before: The revision before the change.
  ///   - after: The revision with it.
  /// - Returns: The revision without the change; it counts as one with changes.
  /// - Throws: `RevisionError.cannotTakeBack` when later changes stand on it, or when it is not there
  ///   any more, or `git`.
  public func revision(
    _ head: Revision, withoutChangeFrom before: Revision, to after: Revision
  ) throws(RevisionError) -> Revision {
    let change = "\(before.commit.prefix(10))..\(after.commit.prefix(10))"
    // Two children of what is to be taken back: it is their common ancestor, whatever came of it since.
    let current = try commit(
      tree: head.tree, on: after.commit, dateOf: head.commit, "With \(change)")
    let earlier = try commit(
      tree: before.tree, on: after.commit, dateOf: head.commit, "Before \(change)")
    let merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages", current, earlier]
    let run = try call(merge)
    let lines = run.output.split(separator: "\n").map(String.init)
    switch run.status {
    case 0: break
    case 1:
      let files = lines.dropFirst().prefix(3).joined(separator: ", ")
      throw .cannotTakeBack(change: change, reason: "later changes to \(files) stand on it")
    default:
      throw .git(
        command: merge.prefix(2).joined(separator: " "),
        message: run.errors.isEmpty ? "it needs git 2.38 or later" : run.errors)
    }
    guard let tree = lines.first, tree != head.tree else {
      throw .cannotTakeBack(change: change, reason: "\(head.title) has nothing of it any more")
    }
    let name = "\(head.name) without \(change)"
    return Revision(
      name: name, commit: try commit(tree: tree, on: head.commit, dateOf: head.commit, name),
      head: head.commit, tree: tree)
  }

  /// Returns the first commit after another one that has a content: what it was measured as before it was
  /// committed.
  ///
  /// - Parameters:
  ///   - tree: The hash of the content.
  ///   - before: The commit that it was made on.
  ///   - head: Where to look up to.
  /// - Returns: Nil when no commit has it.
  /// - Throws: `RevisionError.git`.
  public func commit(
    withContent tree: String, after before: Revision, upTo head: Revision
  ) throws(RevisionError) -> Revision? {
    let lines = try text([
      "log", "--no-show-signature", "--reverse", "--format=%T %H",
      "\(before.commit)..\(head.commit)", "--",
    ])
    let line = lines.split(separator: "\n").first { $0.hasPrefix(tree + " ") }
    guard let commit = line?.split(separator: " ").last.map(String.init) else { return nil }
    return Revision(name: commit, commit: commit, head: commit, tree: tree)
  }
}
