extension GitCheckout {
  /// Returns a revision without a change, as a commit on top of it without a branch.
  ///
  /// The difference between two revisions is merged backwards, as in `git revert`. The checkout and
  /// its index are not touched.
  ///
  /// - Parameters:
  ///   - head: The revision with the change.
  ///   - before: The revision before the change.
  ///   - after: The revision after the change.
  /// - Returns: The revision without the change; it counts as a revision with changes.
  /// - Throws: `RevisionError.cannotTakeBack` if later changes conflict or the change is not in the
  ///   revision; `git`.
  public func revision(
    _ head: Revision, withoutChangeFrom before: Revision, to after: Revision
  ) throws(RevisionError) -> Revision {
    let change = "\(before.commit.prefix(10))..\(after.commit.prefix(10))"
    // Two children of the change make it the common ancestor, whatever happened to it later.
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
      throw .cannotTakeBack(change: change, reason: "it conflicts with later changes to \(files)")
    default:
      throw .git(
        command: merge.prefix(2).joined(separator: " "),
        message: run.errors.isEmpty ? "it needs git 2.38 or later" : run.errors)
    }
    guard let tree = lines.first, tree != head.tree else {
      throw .cannotTakeBack(change: change, reason: "\(head.title) does not contain it")
    }
    let name = "\(head.name) without \(change)"
    return Revision(
      name: name, commit: try commit(tree: tree, on: head.commit, dateOf: head.commit, name),
      head: head.commit, tree: tree)
  }

  /// Returns the first commit after another one with a content.
  ///
  /// It finds the commit of a work tree that was measured before it was committed.
  ///
  /// - Parameters:
  ///   - tree: The hash of the content.
  ///   - before: The commit on which the content was made.
  ///   - head: The last commit of the search.
  /// - Returns: The commit, or nil.
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
