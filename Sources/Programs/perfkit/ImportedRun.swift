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

  /// Refuses a run of counted work, which has no profile.
  ///
  /// - Throws: `Failure` with the use of counted work.
  func checkSampling() throws {
    guard work != nil else { return }
    throw Failure(
      "run \(id) has no profile: it was measured with --count. `perfkit show --all \(id)` lists its "
        + "functions by instructions; measure it without --count for a profile.")
  }
}
