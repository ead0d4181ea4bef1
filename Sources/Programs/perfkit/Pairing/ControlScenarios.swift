internal import PerfModel
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// Scenarios that the change between two revisions cannot reach, measured with those that it may.
///
/// They are declared, in `perfkit.yml` for all or in a scenario's file for that one; or their
/// program is the same on both sides (`UnreachedProgram`), which makes them controls of all. One
/// that moved makes void what it is a control of, and itself; where launches of one failed, nothing
/// is called equivalent or improved.
struct ControlScenarios {
  /// A comparison of the invocation.
  struct Compared {
    let sides: PairedMeasuring.Sides
    var paired: PairedComparison
  }

  /// Those of `perfkit.yml`.
  private let general: [String]
  /// Those that a scenario's file names.
  private let declared: [String: [String]]
  /// Those that nobody asked for: they are measured as controls alone.
  let additional: [String]

  /// No controls.
  static let none = ControlScenarios(general: [], declared: [:], additional: [])

  private init(general: [String], declared: [String: [String]], additional: [String]) {
    self.general = general
    self.declared = declared
    self.additional = additional
  }

  /// Finds what is declared.
  ///
  /// - Parameters:
  ///   - names: The scenarios that were asked for; all exist.
  ///   - built: Both revisions.
  /// - Throws: `ScenarioError.unknownScenario` with the nearest name, or what is wrong with a file;
  ///   `Failure` when the base lacks a control.
  init(of names: [String], in built: RevisionSides) throws {
    let controls = try Self(of: names, general: built.project.controls, in: built.scenarios)
    for control in controls.all {
      try built.checkKnown(control)
      guard try !built.isNew(control) else {
        throw Failure(
          "\(built.base.revision.title) has no scenario '\(control)', so it cannot be a control of "
            + "this change. Remove it from the controls until it has.")
      }
    }
    self = controls
  }

  /// Finds what is declared, whether or not it exists.
  ///
  /// - Parameters:
  ///   - names: The scenarios that were asked for; all exist.
  ///   - general: The controls of all.
  ///   - library: The files of the scenarios.
  /// - Throws: `ScenarioError` for what is wrong with a file.
  init(of names: [String], general: [String], in library: ScenarioLibrary) throws {
    var declared: [String: [String]] = [:]
    for name in names { declared[name] = try library.file(name).scenario.controls.scenarios }
    var seen = Set(names)
    let all = general + names.flatMap { declared[$0] ?? [] }
    self.init(
      general: general, declared: declared, additional: all.filter { seen.insert($0).inserted })
  }

  /// All that are declared.
  private var all: Set<String> { Set(general).union(declared.values.joined()) }

  /// Judges the controls, and what follows of them for the comparisons that they are controls of.
  ///
  /// - Parameters:
  ///   - compared: All comparisons of the invocation.
  ///   - store: Where what follows is kept.
  /// - Returns: The same comparisons in their order.
  /// - Throws: `StoreError` or `StatisticsError`.
  func judge(_ compared: [Compared], in store: RunStore) throws -> [Compared] {
    func words(_ say: (Compared) -> String?) -> [String: String] {
      Dictionary(
        compared.compactMap { one in say(one).map { (one.sides.scenario.name, $0) } }
      ) { first, _ in first }
    }
    let (moved, unknown) = (words(Self.movement), words(Self.gap))
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
      return Compared(
        sides: one.sides, paired: try one.paired.with(moved: movements, unknown: gaps, in: store))
    }
  }

  /// What moved of a scenario, in words; nil when nothing did.
  private static func movement(of compared: Compared) -> String? {
    let metrics = compared.paired.comparison.metrics.filter { metric in
      metric.isGating && Verdicts.hasMoved(control: metric.verdict)
    }
    guard !metrics.isEmpty else { return nil }
    let changes = metrics.map { "\($0.definition.name) \($0.verdict)" }.joined(separator: ", ")
    let why = compared.sides.isUnreached ? ", the same program on both sides," : ""
    return "scenario \(compared.sides.scenario.name)\(why) (\(changes))"
  }

  /// How many launches of a scenario leave open whether it moved, in words; nil when none do.
  ///
  /// All that one says that crashed is that it did.
  private static func gap(in compared: Compared) -> String? {
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
      + "(\(lost) of \(launches.count) launches failed, or lack what decides)"
  }
}

extension PairedComparison {
  /// What it says as a control alone: that it moved, or that nobody knows.
  var statusAsControl: ExitStatus {
    if comparison.verdict == .void { return .void }
    return comparison.hasUnknownControl ? .inconclusive : .done
  }

  /// Returns the comparison when controls moved or are unknown, and keeps it so.
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
  /// Whether a control of it was not measured as planned.
  var hasUnknownControl: Bool { warnings.contains { $0.code == PairedComparer.controlUnknown } }
}
