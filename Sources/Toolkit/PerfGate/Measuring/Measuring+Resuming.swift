internal import Foundation
public import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
public import PerfStore

extension Measuring {
  /// Makes the launches that a run lacks because it was cut off.
  ///
  /// A session begins with the scenario's warm-ups, as the program and the machine are cold again.
  ///
  /// - Parameters:
  ///   - run: The run, which is not complete.
  ///   - runnable: Its scenario.
  ///   - store: The store of the run; receives each launch as soon as it has ended.
  /// - Returns: The run with all launches so far.
  /// - Throws: `Failure` if its machine, program, scenario or settings have changed, or if another process
  ///   measures it; the errors of `measure`.
  public func resume(
    _ run: Run, of runnable: RunnableScenario, into store: RunStore
  ) throws -> Run {
    guard settings.counting == nil else {
      throw Failure(
        "run \(run.id) cannot be resumed: it counts its work, which a few launches tell. Repeat its "
          + "command, without --resume.")
    }
    let now = workspace.now()
    let draft = try sessionDraft(
      runnable, variant: run.variant, size: size(of: run, runnable), store: store)
    let changes = Self.changes(from: run, to: draft)
    guard changes.isEmpty else {
      throw Failure(
        "run \(run.id) cannot be resumed: \(Wording.list(changes)). Measure it anew, without --resume."
      )
    }
    let rest = draft.completing(run, at: now)
    guard ScratchFolder.clear(rest.plan.scratchDirectory) else { throw rest.isInUse }
    observe(
      .note(
        "resuming run \(run.id) after \(Wording.count(rest.plan.made.count, "launch", "launches"))")
    )
    observe(.begin(title: rest.plan.title))
    return try rest.measure(
      runnable.checked.workload, in: workspace, into: store, isOutOfTime: isOutOfTime
    ) { observe(.run($0)) }
  }

  /// Returns the calibrated size of a run, which later sessions keep.
  private func size(of run: Run, _ runnable: RunnableScenario) throws -> CalibratedSize? {
    guard let rule = runnable.scenario.calibration, let note = run.environment[.calibration],
      let value = run.parameters[rule.parameter]
    else { return nil }
    return CalibratedSize(
      setting: try ParameterOverride(argument: "\(rule.parameter)=\(value)"), note: note)
  }

  /// Returns what differs between a run and the launches that would complete it, in words.
  private static func changes(from run: Run, to draft: RunDraft) -> [String] {
    guard run.environment[.launching] != nil else {
      return ["an earlier version made it, which did not record how it was launched"]
    }
    // As they would be stored.
    let stored = draft.run(launches: [])
    let now = stored.environment
    var changes: [String] = []
    func compare(_ what: String, _ then: String?, _ now: String?) {
      guard then != now else { return }
      changes.append("\(what) was \(then ?? "unknown") and is \(now ?? "unknown")")
    }
    compare("the seed", "\(run.seed)", "\(draft.plan.seed)")
    for name in Set(run.parameters.keys).union(stored.parameters.keys).sorted() {
      let (then, now) = (run.parameters[name], stored.parameters[name])
      compare("the parameter '\(name)'", then.map { "\($0)" }, now.map { "\($0)" })
    }
    for difference in run.environment.differences(to: now) where difference.voids {
      compare("'\(difference.key)'", difference.base, difference.candidate)
    }
    let facts: [(String, Environment.Key)] = [
      ("the machine", .host), ("PerfKit's version", .perfkitVersion),
      ("the way of launching", .launching), ("the conditions", .conditions),
    ]
    for (what, key) in facts { compare(what, run.environment[key], now[key]) }
    let identities: [(String, Environment.Key)] = [
      ("the program", .buildIdentity), ("the agent", .agentIdentity),
      ("a file of the command", .commandFiles),
    ]
    for (what, key) in identities where run.environment[key] != now[key] {
      changes.append("\(what) has changed")
    }
    if run.budgets != draft.plan.budgets { changes.append("the budgets have changed") }
    return changes
  }
}
