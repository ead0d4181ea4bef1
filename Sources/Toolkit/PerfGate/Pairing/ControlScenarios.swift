internal import PerfModel
internal import PerfReport
internal import PerfRunner
public import PerfScenario
internal import PerfStatistics
public import PerfStore

/// The controls of an invocation: scenarios that the change between two revisions cannot reach.
///
/// Controls are declared in `perfkit.yml` for all scenarios or in a scenario's file for that one. A
/// scenario whose program is the same on both sides (`BuiltRevisions.isUnreached`) is a control of
/// all others, if it is measured. A control that moved makes itself and the comparisons that it
/// controls void. If launches of a control failed, no comparison that it controls is equivalent or
/// improved.
public struct ControlScenarios {
  /// A comparison of the invocation, with its sides.
  public typealias ComparedSides = (sides: PairedSides, paired: PairedComparison)

  /// The controls that `perfkit.yml` declares.
  private let general: [String]
  /// The controls that each scenario's file declares.
  private let declared: [String: [String]]
  /// The controls that the user did not ask for: they are measured as controls alone.
  public let additional: [String]

  /// An invocation without controls.
  public static var none: ControlScenarios {
    ControlScenarios(general: [], declared: [:], additional: [])
  }
}

extension ControlScenarios {
  /// Finds the declared controls and checks that both revisions have them.
  ///
  /// - Parameters:
  ///   - names: The scenarios that the user asked for; all exist.
  ///   - built: Both revisions.
  /// - Throws: `ScenarioError.unknownScenario` with the nearest name and other `ScenarioError`s;
  ///   `Failure` if the base lacks a control.
  public init(of names: [String], in built: BuiltRevisions) throws {
    let controls = try Self(of: names, general: built.controls) { name in
      try built.file(name).file
    }
    for control in controls.all {
      try built.checkKnown(control)
      guard try !built.isNew(control) else {
        throw Failure(
          "'\(control)' cannot be a control of this change: \(built.base.revision.title) has no such "
            + "scenario. Remove it from the controls until the base has it.")
      }
    }
    self = controls
  }

  /// Finds the declared controls, whether or not they exist.
  ///
  /// - Parameters:
  ///   - names: The scenarios that the user asked for; all exist.
  ///   - general: The controls of all scenarios.
  ///   - file: Returns the file of a scenario.
  /// - Throws: `ScenarioError` for an invalid file.
  public init(
    of names: [String], general: [String], file: (_ name: String) throws -> ScenarioFile
  ) throws {
    var declared: [String: [String]] = [:]
    for name in names { declared[name] = try file(name).scenario.controls.scenarios }
    var seen = Set(names)
    let all = general + names.flatMap { declared[$0] ?? [] }
    self.general = general
    self.declared = declared
    additional = all.filter { seen.insert($0).inserted }
  }

  /// Returns whether a scenario is declared as a control.
  func isDeclared(_ name: String) -> Bool { all.contains(name) }

  private var all: Set<String> { Set(general).union(declared.values.joined()) }

  /// Judges the controls and adapts the comparisons that they control, which keep their order.
  ///
  /// - Throws: `StoreError` or `StatisticsError`.
  public func judge(_ compared: [ComparedSides], in store: RunStore) throws -> [ComparedSides] {
    func descriptions(_ describe: (ComparedSides) -> String?) -> [String: String] {
      Dictionary(
        compared.compactMap { one in describe(one).map { (one.sides.scenario.name, $0) } }
      ) { first, _ in first }
    }
    let (moved, unknown) = (descriptions(Self.movement), descriptions(Self.gap))
    let same = compared.filter(\.sides.isUnreached).map(\.sides.scenario.name)
    let specific = Set(declared.values.joined())
    return try compared.map { one in
      let name = one.sides.scenario.name
      let own = specific.contains(name) ? [name] : []
      let controls = Set(general + same + own + (declared[name] ?? [])).sorted()
      let (movements, gaps) = (
        controls.compactMap { moved[$0] }, controls.compactMap { unknown[$0] }
      )
      guard !movements.isEmpty || !gaps.isEmpty else { return one }
      return (one.sides, try one.paired.with(moved: movements, unknown: gaps, in: store))
    }
  }

  /// Returns a description of the gating metrics of a scenario that moved; nil if none did.
  private static func movement(of compared: ComparedSides) -> String? {
    let metrics = compared.paired.comparison.metrics.filter { metric in
      metric.isGating && Verdicts.hasMoved(control: metric.verdict)
    }
    guard !metrics.isEmpty else { return nil }
    let changes = metrics.map(\.movement).joined(separator: " and ")
    let name = compared.sides.scenario.name
    return compared.sides.isUnreached
      ? "\(name) runs the same program in both revisions, yet \(changes)"
      : "in the control scenario \(name), \(changes)"
  }

  /// Returns a description of the launches that leave open whether a scenario moved; nil if none do.
  ///
  /// A crashed launch has no gating metric except `crash.rate`.
  private static func gap(in compared: ComparedSides) -> String? {
    let (paired, run) = (compared.paired, compared.paired.candidate)
    let gating = GatingMetrics.names(
      paired.stored.design.policy, budgets: run.budgets, definitions: run.definitions
    ).filter { $0 != MetricName.crashRate }
    let launches = paired.legs.flatMap { $0.base.profiled + $0.candidate.profiled }
      .filter { $0.status != .interrupted }
    let lost = launches.count { launch in
      switch launch.status {
      case .completed: gating.contains { launch.metrics[$0] == nil }
      case .crashed, .jetsam: !gating.isEmpty
      case .timedOut, .failed: true
      case .interrupted: false
      }
    }
    guard lost > 0 else { return nil }
    return "scenario \(compared.sides.scenario.name) "
      + "(\(lost) of \(launches.count) launches failed or lack a gating metric)"
  }
}

extension PairedComparison {
  /// The exit status of a comparison that is only a control: whether it moved, or may have moved.
  public var statusAsControl: ExitStatus {
    if comparison.verdict == .void { return .void }
    return comparison.hasUnknownControl ? .inconclusive : .done
  }

  /// Stores and returns the comparison with the controls that moved or are unknown.
  fileprivate func with(
    moved: [String], unknown: [String], in store: RunStore
  ) throws -> PairedComparison {
    var stored = stored
    stored.design.movedControls = moved.isEmpty ? nil : moved
    stored.design.unknownControls = unknown.isEmpty ? nil : unknown
    try store.save(stored)
    return try PairedComparison(stored, store: store)
  }
}

extension Comparison {
  var hasUnknownControl: Bool { warnings.contains { $0.code == PairedComparer.controlUnknown } }
}
