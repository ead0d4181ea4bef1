internal import PerfGate
internal import PerfModel

extension Run {
  /// Refuses an imported profile where launches are needed.
  ///
  /// - Parameter use: The use of the launches, as in "cannot be compared".
  /// - Throws: `Failure` with the uses of imported profiles.
  func checkLaunches(toBe use: String) throws {
    guard let importedFormat else { return }
    throw Failure(
      "run \(id) cannot be \(use): its profile is imported (\(importedFormat)), so that it has no "
        + "launches. show, report, flamegraph, annotate and export to pprof, speedscope or collapsed "
        + "accept it; `perfkit flamegraph B --against A` compares two profiles.")
  }
}
