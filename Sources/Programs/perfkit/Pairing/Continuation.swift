internal import PerfModel
internal import PerfProfile
internal import PerfReport
internal import PerfRunner
internal import PerfStore

/// Which comparison that was stopped goes on with what is to be measured now.
///
/// The error rates hold for one design over the same two programs, all of it fixed before the first
/// pair. Where anything of that is another one now, a new comparison is begun.
struct Continuation {
  /// What goes on; nil when a new comparison is to be begun.
  let stored: StoredComparison?
  /// Why the latest one, though it was stopped, does not go on; nil when there is nothing to say.
  let obstacle: String?

  /// Looks for it.
  ///
  /// - Parameters:
  ///   - new: What would be begun.
  ///   - environment: The candidate's, now.
  ///   - store: Has those that were stopped.
  /// - Throws: `StoreError`.
  init(of new: StoredComparison, in environment: Environment, store: RunStore) throws {
    var obstacle: String?
    for (index, old) in try store.comparisons(of: new.subject).enumerated() where !old.isFinished {
      // One that was stopped before its first pair has nothing to go on with.
      guard let leg = old.legs.last, old.design.launchesPerPair != nil else { continue }
      let then = try store.run(id: leg.candidate, including: []).environment
      let changes =
        Self.changes(from: old.design, to: new.design)
        + then.differences(to: environment).filter(\.voids).map { "\($0.key) differs" }
      guard !changes.isEmpty else {
        stored = old
        self.obstacle = nil
        return
      }
      guard index == 0 else { continue }
      obstacle =
        "comparison \(old.id) was stopped and does not go on: \(Wording.list(changes)); "
        + "another one is begun"
    }
    stored = nil
    self.obstacle = obstacle
  }

  /// What of a design is another one now, in words.
  private static func changes(
    from old: ComparisonDesign, to new: ComparisonDesign
  ) -> [String] {
    var changes: [String] = []
    if old.gatingCount != new.gatingCount {
      changes.append(
        "\(Wording.count(new.gatingCount, "metric decides", "metrics decide")) in the whole "
          + "invocation, \(old.gatingCount) did then")
    }
    if old.policy != new.policy { changes.append("the gate has other margins or metrics") }
    if old.controls != new.controls { changes.append("the controls are others") }
    if old.allowsDifferentEnvironments != new.allowsDifferentEnvironments {
      changes.append(
        "--allow-different-environments was \(old.allowsDifferentEnvironments ? "" : "not ")given")
    }
    guard let then = old.conditions else {
      return changes + ["it was made by an earlier version, which kept nothing of its programs"]
    }
    let now = new.conditions ?? [:]
    let keys = Set(then.keys).union(now.keys).sorted()
    return changes
      + keys.filter { then[$0] != now[$0] }.map { "\($0) changed" }
  }

  /// What must be the same in all sessions of a comparison.
  ///
  /// - Parameters:
  ///   - base: The base's run.
  ///   - candidate: The candidate's.
  ///   - gating: The metrics that decide.
  /// - Returns: What each of it is, by its name in words; a program that cannot be read is left out.
  static func conditions(
    _ base: RunDraft, _ candidate: RunDraft, gating: [String]
  ) -> [String: String] {
    var conditions = ["what decides": gating.joined(separator: " ")]
    for (side, draft) in [("base", base), ("candidate", candidate)] {
      conditions["the \(side)'s program"] = ProgramImage.fingerprint(ofFile: draft.plan.program[0])
      conditions["how the \(side) is launched"] = launches(draft.plan)
    }
    return conditions
  }

  /// How launches are made, as far as parameters do not say it.
  private static func launches(_ plan: MeasurementPlan) -> String {
    let sampling =
      plan.rate > 0
      ? "\(plan.rate) Hz by signal \(plan.signal.number), \(plan.stackBytes) bytes of a stack"
      : "no samples"
    let pressure = plan.scenario.pressure.map { "\($0.level) at \($0.at) for \($0.hold)" }
    return
      ([sampling, "allocations \(plan.countsAllocations)", "timeout \(plan.scenario.timeout)"]
      + plan.conditions.injectors + pressure).joined(separator: ", ")
  }
}
