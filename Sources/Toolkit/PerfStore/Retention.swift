/// The rule by which runs are removed from a storage.
public enum Retention {
  /// Finds the runs that can be removed without parting a comparison.
  ///
  /// A comparison that loses a session silently gets another verdict.
  ///
  /// - Parameters:
  ///   - groups: The runs of each comparison.
  ///   - runs: The runs that may be removed.
  /// - Returns: The runs of which no comparison has other runs.
  public static func sparingParts<ID: Hashable>(
    of groups: some Collection<Set<ID>>, in runs: Set<ID>
  ) -> Set<ID> {
    var runs = runs
    var isSettled = false
    // A run may belong to several comparisons, so a kept run may keep further ones.
    while !isSettled {
      isSettled = true
      for group in groups where !group.isDisjoint(with: runs) && !group.isSubset(of: runs) {
        runs.subtract(group)
        isSettled = false
      }
    }
    return runs
  }
}
