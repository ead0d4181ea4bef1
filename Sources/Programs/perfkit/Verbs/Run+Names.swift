internal import PerfModel

extension Run {
  /// A thread or phase that does not exist would give an empty picture; better say what there is.
  ///
  /// - Throws: `Failure` for wrong usage.
  func checkNames(thread: String?, phase: String?) throws {
    let threads = profile?.threads.map(\.name) ?? []
    if let thread, !threads.contains(thread) {
      throw Failure(
        "run \(id) has no thread '\(thread)'; it has \(threads.joined(separator: ", "))"
          + NearestName.hint(for: thread, among: threads), status: .usage)
    }
    let phases = (profile?.phases ?? []).filter { !$0.isEmpty }
    if let phase, !phases.contains(phase) {
      throw Failure(
        "run \(id) has no phase '\(phase)'; it has \(phases.joined(separator: ", "))"
          + NearestName.hint(for: phase, among: phases), status: .usage)
    }
  }
}
