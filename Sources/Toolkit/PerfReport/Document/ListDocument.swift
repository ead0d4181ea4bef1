public import PerfModel

/// What `perfkit list` shows: simple tables, one row a thing.
public enum ListDocument {
  /// A stored run in one line.
  public struct RunLine: Hashable, Sendable {
    /// The run's id.
    public let id: String
    /// When it began.
    public let started: Timestamp
    /// `scenario:variant`.
    public let subject: String
    /// The label, or nil.
    public let label: String?
    /// The commit, or nil.
    public let commit: String?
    /// Measured launches.
    public let launches: Int
    /// What its budgets said when it was measured, or nil.
    public let verdict: BudgetVerdict?

    /// Creates a line.
    public init(
      id: String, started: Timestamp, subject: String, label: String?, commit: String?,
      launches: Int, verdict: BudgetVerdict? = nil
    ) {
      self.id = id
      self.started = started
      self.subject = subject
      self.label = label
      self.commit = commit
      self.launches = launches
      self.verdict = verdict
    }
  }

  /// Returns stored runs in the given order.
  public static func runs(_ runs: [RunLine]) -> Table {
    let columns: [Table.Column] = [
      .init("run"), .init("started (UTC)"), .init("subject", isFlexible: true),
      .init("launches", .trailing), .init("commit"), .init("budgets"),
      .init("label", isDetail: true),
    ]
    let rows = runs.map { run -> [Table.Cell] in
      [
        .init(run.id, .strong), .init(run.started.short), .init(run.subject),
        .init("\(run.launches)"), .init(Wording.commit(run.commit) ?? Wording.nothing),
        run.verdict.map { .init($0.rawValue, Tone($0)) } ?? .init(Wording.nothing, .muted),
        .init(run.label ?? ""),
      ]
    }
    return Table(id: "runs", title: "", columns: columns, rows: rows)
  }

  /// Returns scenarios with their variants; the default one is marked by an asterisk.
  public static func scenarios(_ scenarios: [Scenario]) -> Table {
    let columns: [Table.Column] = [
      .init("scenario"), .init("variants"), .init("summary", isProse: true),
    ]
    let rows = scenarios.map { scenario -> [Table.Cell] in
      let variants = scenario.variants.map {
        $0.name + ($0.name == scenario.defaultVariant ? "*" : "")
      }
      return [
        .init(scenario.name, .strong), .init(variants.joined(separator: " ")),
        .init(scenario.summary),
      ]
    }
    return Table(
      id: "scenarios", title: "", columns: columns, rows: rows,
      caption: "* is measured when no variant is named.")
  }

  /// Returns the variants of scenarios with what each sets.
  public static func variants(_ scenarios: [Scenario]) -> Table {
    let columns: [Table.Column] = [.init("variant"), .init("parameters", isProse: true)]
    let rows = scenarios.flatMap { scenario in
      scenario.variants.map { variant -> [Table.Cell] in
        let parameters = variant.parameters.sorted { $0.key < $1.key }
          .map { "\($0.key)=\($0.value)" }
        return [
          .init("\(scenario.name):\(variant.name)", .strong),
          .init(parameters.joined(separator: " ")),
        ]
      }
    }
    return Table(id: "variants", title: "", columns: columns, rows: rows)
  }

  /// Returns the workloads of workers.
  public static func workloads(_ workers: [WorkerDescription]) -> Table {
    let columns: [Table.Column] = [
      .init("workload"), .init("suite"), .init("parameters", .trailing),
      .init("summary", isProse: true),
    ]
    let rows = workers.flatMap { worker in
      worker.workloads.map { workload -> [Table.Cell] in
        [
          .init(workload.name, .strong), .init(worker.suite),
          .init("\(workload.parameters.count)"), .init(workload.summary),
        ]
      }
    }
    return Table(id: "workloads", title: "", columns: columns, rows: rows)
  }

  /// Returns metrics by group with their units and definitions.
  public static func metrics(_ definitions: [MetricDefinition]) -> Table {
    let columns: [Table.Column] = [
      .init("metric"), .init("unit"), .init("better"), .init("definition", isProse: true),
    ]
    let groups = MetricGroup.grouped(definitions, name: \.name) { definition -> [Table.Cell] in
      let better =
        definition.direction == .neutral ? Wording.nothing : definition.direction.rawValue
      return [
        .init(definition.name, .strong), .init(definition.baseUnit.symbol), .init(better),
        .init(definition.summary),
      ]
    }
    return Table(id: "metrics", title: "", columns: columns, groups: groups)
  }
}
