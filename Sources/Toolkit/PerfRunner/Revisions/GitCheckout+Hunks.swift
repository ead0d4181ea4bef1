public import PerfModel

extension GitCheckout {
  /// The patterns of files whose lines debug information may name.
  private static let sources = [
    "swift", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "mm", "s", "S", "rs", "go", "zig",
  ].map { ":(top,glob)**/*.\($0)" }
  /// The largest number of hunks: larger changes touch about everything.
  private static let limit = 5000

  /// Returns the changed lines of source files; nil if there are none, or too many to single out
  /// functions.
  ///
  /// - Throws: `RevisionError.git`.
  public func hunks(from old: Revision, to new: Revision) throws(RevisionError) -> SourceHunks? {
    guard old.tree != new.tree else { return nil }
    let diff = try text(
      [
        "-c", "core.quotePath=false", "diff-tree", "-r", "-p", "--unified=0", "--find-renames",
        "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all",
        "--src-prefix=a/", "--dst-prefix=b/", old.commit, new.commit, "--",
      ] + Self.sources)
    let hunks = SourceHunks(diff: diff)
    return (1...Self.limit).contains(hunks.count) ? hunks : nil
  }
}
