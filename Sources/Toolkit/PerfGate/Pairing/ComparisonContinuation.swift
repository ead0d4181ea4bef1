internal import PerfModel
internal import PerfProfile
internal import PerfReport
internal import PerfRunner
internal import PerfStore

/// The choice between continuing a stopped comparison and beginning a new one.
///
/// The error rates hold for one design and the same two programs, all fixed before the first pair. If
/// any of that differs now, a new comparison begins.
struct ComparisonContinuation {
  /// The comparison to continue; nil if a new one begins.
  let stored: StoredComparison?
  /// The reason why the latest comparison, though it was stopped, is not continued; nil for none.
  let obstacle: String?

  /// Looks for a comparison to continue.
  ///
  /// - Parameters:
  ///   - new: The comparison that would begin.
  ///   - environment: The candidate's environment.
  ///   - store: The store with the stopped comparisons.
  /// - Throws: `StoreError`.
  init(of new: StoredComparison, in environment: Environment, store: RunStore) throws {
    var obstacle: String?
    for (index, old) in try store.comparisons(of: new.subject).enumerated() where !old.isFinished {
      // A comparison that was stopped before its first pair has nothing to continue.
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
        "comparison \(old.id) is not continued: \(Wording.list(changes)); a new one begins"
    }
    stored = nil
    self.obstacle = obstacle
  }

  private static func changes(
    from old: ComparisonDesign, to new: ComparisonDesign
  ) -> [String] {
    var changes: [String] = []
    if old.gatingCount != new.gatingCount {
      changes.append(
        "the error rate is divided by \(new.gatingCount) instead of \(old.gatingCount)")
    }
    let counting = [old.counting, new.counting]
    if (counting[0] == nil) != (counting[1] == nil)
      || old.sharesErrorWithWork != new.sharesErrorWithWork
    {
      changes.append("the work was \(old.counting == nil ? "not " : "")counted")
    } else if counting[0]?.gatingCount != counting[1]?.gatingCount
      || counting[0]?.policy != counting[1]?.policy
    {
      changes.append("the counted metrics that gate changed")
    }
    if old.policy != new.policy { changes.append("the margins or gating metrics changed") }
    if old.layouts != new.layouts { changes.append("the number of layouts changed") }
    if old.controls != new.controls { changes.append("the controls changed") }
    if old.allowsDifferentEnvironments != new.allowsDifferentEnvironments {
      changes.append(
        "--allow-different-environments was \(old.allowsDifferentEnvironments ? "" : "not ")given")
    }
    guard let then = old.conditions else {
      return changes + ["an earlier version made it, which did not record its programs"]
    }
    let now = new.conditions ?? [:]
    var keys = Set(then.keys).union(now.keys).filter { then[$0] != now[$0] }
    if old.policy != new.policy { keys.remove(gatingMetrics) }
    let launching = ["base", "candidate"].map(Self.launching)
    if keys.isSuperset(of: launching) {
      keys.subtract(launching)
      changes.append("the programs are launched in another way, e.g. without a profile")
    }
    return changes + keys.sorted().map { "\($0) changed" }
  }

  /// The name of the condition of the gating metrics.
  private static let gatingMetrics = "the gating metrics"

  /// Returns the name of the condition of how a side is launched.
  private static func launching(_ side: String) -> String { "how the \(side) is launched" }

  /// Returns the conditions that must be the same in all sessions of a comparison.
  ///
  /// - Parameters:
  ///   - base: The base's run.
  ///   - candidate: The candidate's run.
  ///   - gating: The gating metrics.
  /// - Returns: The conditions by their names in words; a program that cannot be read has none.
  static func conditions(
    _ base: RunDraft, _ candidate: RunDraft, gating: [String]
  ) -> [String: String] {
    var conditions = [gatingMetrics: gating.joined(separator: " ")]
    for (side, draft) in [("base", base), ("candidate", candidate)] {
      conditions["the \(side)'s program"] = ProgramImage.fingerprint(ofFile: draft.plan.program[0])
      conditions[launching(side)] = draft.plan.launching
      guard case .command = draft.plan.scenario.worker else { continue }
      if draft.environment[.dirty] == "true" {
        conditions["the \(side)'s tree"] = draft.environment[.tree]
      }
      for (word, identity) in draft.plan.commandFiles {
        conditions["the \(side)'s file '\(word)'"] = identity
      }
    }
    return conditions
  }
}
