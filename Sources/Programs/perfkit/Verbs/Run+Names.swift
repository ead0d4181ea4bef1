internal import PerfGate
internal import PerfModel

extension Run {
  /// Refuses a thread, phase or signpost that the run does not have: its picture would be empty.
  ///
  /// - Throws: `Failure` for wrong usage, with the existing names.
  func checkNames(thread: String?, phase: String?, signpost: String?) throws {
    try check(thread, "thread", among: profile?.threads.map(\.name) ?? [])
    try check(phase, "phase", among: profile?.phases ?? [])
    try check(signpost, "sampled signpost", among: profile?.signposts ?? [])
  }

  private func check(_ name: String?, _ kind: String, among all: [String]) throws {
    guard let name else { return }
    // An empty name stands for the absence of a phase or signpost.
    let names = all.filter { !$0.isEmpty }
    guard !names.contains(name) else { return }
    throw Failure(
      "run \(id) has no \(kind) '\(name)'; it has "
        + (names.isEmpty ? "no \(kind)s" : names.joined(separator: ", "))
        + NearestName.hint(for: name, among: names), status: .usage)
  }
}
