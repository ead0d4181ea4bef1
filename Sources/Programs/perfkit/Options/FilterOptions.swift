internal import ArgumentParser
internal import PerfGate
internal import PerfModel

/// The options that select the samples of a profile.
struct FilterOptions: ParsableArguments {
  @Flag(
    name: .customLong("only-missed-frames"),
    help: "Select only samples of frames that missed their refresh.")
  var onlyMissedFrames = false

  @Option(help: ArgumentHelp("Select only samples of this thread.", valueName: "name"))
  var thread: String?

  @Option(help: ArgumentHelp("Select only samples of this phase.", valueName: "name"))
  var phase: String?

  @Option(
    help: ArgumentHelp(
      "Select only samples whose innermost signpost is this one.", valueName: "name"))
  var signpost: String?

  /// Returns the filter of the options.
  ///
  /// - Throws: `Failure` if the run lacks a name: its picture would be empty.
  func filter(of run: Run) throws -> SampleFilter {
    try run.check(thread, "thread", among: run.profile?.threads.map(\.name) ?? [])
    try run.check(phase, "phase", among: run.profile?.phases ?? [])
    try run.check(signpost, "sampled signpost", among: run.profile?.signposts ?? [])
    return filter
  }

  /// The filter of the options, whose names may not exist.
  var filter: SampleFilter {
    SampleFilter(
      thread: thread, phase: phase, signpost: signpost, onlyMissedFrames: onlyMissedFrames)
  }
}

extension Run {
  /// Refuses a name that the run lacks.
  ///
  /// - Parameters:
  ///   - name: The name; nil is accepted.
  ///   - kind: The kind of the names.
  ///   - names: The names; an empty one stands for the absence of a phase or signpost.
  /// - Throws: `Failure` with all names and the nearest one.
  func check(_ name: String?, _ kind: String, among names: [String]) throws {
    guard let name else { return }
    let names = names.filter { !$0.isEmpty }
    guard !names.contains(name) else { return }
    throw Failure(
      "run \(id) has no \(kind) '\(name)'; it has "
        + (names.isEmpty ? "no \(kind)s" : names.joined(separator: ", "))
        + NearestName.hint(for: name, among: names))
  }
}
