public import PerfModel
public import PerfReport
internal import PerfScenario
internal import PerfStatistics

/// The report of a gate: all results as a document, as JSON and for CI systems.
public struct GateReport {
  var results: [GateResult]
  /// The exit status of the gate.
  public var status: ExitStatus
  /// The folder of the scenario files, from the root of the repository; nil if results have no such files.
  let scenarios: String?
  /// The project file, from the root of the repository: findings about the whole gate, and about results
  /// without a scenario file, are shown there.
  var projectFile = ProjectFile.name
  /// Information about the whole gate; nil for none.
  var note: String?

  /// The ids of the measured runs and comparisons.
  public var measured: [String] {
    results.flatMap { [$0.summary?.run.id, $0.comparison?.whole.id] }.compactMap(\.self)
  }

  /// Returns the report of a gate that could not be judged.
  public static func failed(_ failure: Failure) -> GateReport {
    GateReport(
      results: [.failed("gate", failure, isOfScenario: false)], status: failure.status,
      scenarios: ProjectFile().scenarios)
  }

  /// Returns the report without the secrets of messages.
  public func redacted(by redaction: Redaction) -> GateReport {
    var report = self
    for index in results.indices { report.results[index].note = redaction(results[index].note) }
    return report
  }

  /// The known noise of the machine; nil if nothing was measured.
  var noise: NoiseStatus? { results.compactMap { $0.summary?.noise }.first }

  /// The report as a document: the verdict, the results, then the details of each result.
  public var document: Document {
    var blocks: [Document.Block] = [.verdict(sentence, tone(status))]
    if let note { blocks.append(.paragraph(note)) }
    blocks.append(.table(table))
    if let noise { blocks.append(.facts([.init("noise", noise.summary)])) }
    for result in results {
      if let summary = result.summary {
        blocks += summary.document.document.blocks.filter { block in
          if case .table(let table) = block { return ["budgets", "failures"].contains(table.id) }
          return false
        }
        // A comparison of pairs already contains the samplers' warnings of both sides.
        let shown = Set(result.comparison?.whole.warnings.map(\.code) ?? [])
        let samplers = summary.document.warnings.filter {
          $0.code.hasPrefix("sampler.") && !shown.contains($0.code)
        }
        if !samplers.isEmpty { blocks.append(.warnings(samplers)) }
      }
      if let comparison = result.comparison {
        blocks += self.blocks(of: comparison)
      }
    }
    return Document(title: "gate", blocks: blocks)
  }

  /// Returns the sections of a comparison except its facts, with the sentences of the gate as verdict.
  private func blocks(of comparison: GateComparison) -> [Document.Block] {
    ComparisonDocument(comparison.whole, noise: noise).document.blocks.compactMap {
      block -> Document.Block? in
      switch block {
      case .facts: nil
      case .verdict where comparison.acceptance != nil:
        .verdict(
          comparison.sentences.joined(separator: " "),
          tone(ExitStatus(comparison.rest.combined)))
      case .verdict, .table, .paragraph, .warnings: block
      }
    }
  }

  /// The content of `verdict.json`.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.verdict/1",
      "status": .int(Int(status.rawValue)),
      "verdict": .string(word(status)),
      "note": note.map { .string($0) } ?? .null,
      "results": .array(
        results.map { result in
          .object([
            "change": result.change?.json ?? .null,
            "subject": .string(result.subject),
            "status": .int(Int(result.status.rawValue)),
            "verdict": .string(word(result.status)),
            "note": .string(result.note),
            "run": result.summary?.document.json ?? .null,
            "comparison": result.comparison.map {
              ComparisonDocument($0.whole, noise: noise).json
            } ?? .null,
            "accepted": result.comparison?.json ?? .array([]),
          ])
        }),
    ])
  }

  var sentence: String {
    let bad = results.filter { $0.status != .done }
    let subjects = bad.filter { $0.isOfScenario || $0.change != nil }
      .map { "\($0.subject) (\(word($0)))" }
    // Problems of the gate as a whole are listed as findings instead.
    let names = subjects.isEmpty ? "" : ": " + subjects.joined(separator: ", ")
    switch status {
    case .done where bad.isEmpty:
      guard results.allSatisfy({ $0.change?.decision == nil }) else {
        return "The gate passed: every finding was accepted by a decision."
      }
      let isAccepted = results.contains { $0.comparison?.acceptance != nil }
      return isAccepted
        ? "The gate passed: every regression was accepted by a decision."
        : "The gate passed: no budget is broken and nothing regressed."
    case .done: return "The gate passed, but is undecided\(names)."
    case .gateFailed: return "The gate failed\(names)."
    case .interrupted: return "The gate was stopped before everything was judged."
    case .failed, .usage: return "The gate could not be judged\(names)."
    case .inconclusive, .void: return "The gate is undecided\(names)."
    }
  }

  private var table: Table {
    Table(
      id: "gate", title: "Gate",
      columns: [.init("result"), .init("scenario"), .init("run"), .init("note", isDetail: true)],
      rows: results.map { result in
        [
          .init(word(result), tone(result.status)), .init(result.subject),
          .init(result.summary?.run.id ?? "-"), .init(result.note),
        ]
      })
  }

  func word(_ result: GateResult) -> String {
    guard let change = result.change else { return word(result.status) }
    return change.decision == nil ? change.kind.rawValue : "accepted"
  }

  func word(_ status: ExitStatus) -> String {
    switch status {
    case .done: "passed"
    case .gateFailed: "failed"
    case .failed, .usage: "error"
    case .inconclusive: "inconclusive"
    case .void: "void"
    case .interrupted: "interrupted"
    }
  }

  func tone(_ status: ExitStatus) -> Tone {
    switch status {
    case .done: .good
    case .gateFailed, .failed, .usage: .bad
    case .inconclusive, .void, .interrupted: .unknown
    }
  }
}
