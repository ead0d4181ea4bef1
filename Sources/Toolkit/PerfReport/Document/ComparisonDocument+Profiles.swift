public import PerfModel
internal import PerfStatistics

extension ComparisonDocument {
  /// Returns a comparison of pairs with changed profiles, such as folded ones, and their functions compared again.
  ///
  /// The verdict stays the verdict on the measurement.
  ///
  /// - Parameter transform: Returns a run with another form of its profile.
  /// - Returns: The document, unchanged if the runs are not available or were not measured in pairs.
  public func mappingProfiles(_ transform: (Run) -> Run) -> ComparisonDocument {
    guard var before = base, var after = candidate, let pairing = comparison.pairing else {
      return self
    }
    (before.run, after.run) = (transform(before.run), transform(after.run))
    let comparer = PairedComparer(
      seed: comparison.seed, hunks: evidence?.design.hunks, layouts: pairing.layouts)
    var changed = comparison
    changed.functions = comparer.functionComparer(before.run, after.run)
      .compare(before.run, after.run, launchesPerPair: pairing.launchesPerPair)
    var document = ComparisonDocument(
      changed, base: before, candidate: after, reportPath: reportPath, noise: noise,
      evidence: evidence)
    (document.reports, document.expectations) = (reports, expectations)
    return document
  }
}
