internal import PerfModel
internal import PerfReport

/// All results of a gate as a document and as JSON.
struct GateReport {
  /// The results.
  let results: [GateResult]
  /// What the gate exits with.
  let status: ExitStatus
  /// The folder of the scenario files, from the root of the repository.
  let scenarios: String
  /// What a reader must know before any result; nil for nothing.
  var note: String?

  /// The file that says what a gate does, from the root of the repository.
  static let projectFile = "perfkit.yml"

  /// What is known of the noise of the machine; nil where nothing was measured.
  var noise: NoiseStatus? { results.compactMap { $0.summary?.noise }.first }

  /// The verdict first, then what broke, then everything.
  var document: Document {
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
        // A comparison of pairs tells of both sides.
        let told = Set(result.comparison?.whole.warnings.map(\.code) ?? [])
        let samplers = summary.document.warnings.filter {
          $0.code.hasPrefix("sampler.") && !told.contains($0.code)
        }
        if !samplers.isEmpty { blocks.append(.warnings(samplers)) }
      }
      if let comparison = result.comparison {
        blocks += self.blocks(of: comparison)
      }
    }
    return Document(title: "gate", blocks: blocks)
  }

  /// A comparison without its facts, and headed by what is left of it to judge by.
  private func blocks(of comparison: GateComparison) -> [Document.Block] {
    ComparisonDocument(comparison.whole, noise: noise).document.blocks.compactMap {
      block -> Document.Block? in
      switch block {
      case .facts: nil
      case .verdict where comparison.acceptance != nil:
        .verdict(
          comparison.sentences.joined(separator: " "),
          tone(ExitStatus(comparison.rest.verdict)))
      case .verdict, .table, .paragraph, .warnings: block
      }
    }
  }

  /// What `verdict.json` holds.
  var json: JSONValue {
    .object([
      "schema": "perfkit.verdict/1",
      "status": .int(Int(status.rawValue)),
      "verdict": .string(word(status)),
      "note": note.map { .string($0) } ?? .null,
      "results": .array(
        results.map { result in
          .object([
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

  /// The verdict in one sentence.
  var sentence: String {
    let bad = results.filter { $0.status != .done }
    let subjects = bad.filter(\.isOfScenario).map { "\($0.subject) (\(word($0.status)))" }
    // What is wrong with the gate as a whole is said below.
    let names = subjects.isEmpty ? "" : ": " + subjects.joined(separator: ", ")
    switch status {
    case .done where bad.isEmpty:
      let isAccepted = results.contains { $0.comparison?.acceptance != nil }
      return "The gate is green: everything that was judged "
        + (isAccepted ? "holds or was accepted." : "holds.")
    case .done: return "The gate lets pass what it could not decide\(names)."
    case .gateFailed: return "The gate is red\(names)."
    case .interrupted: return "The gate was stopped before it could judge everything."
    case .failed, .usage: return "The gate cannot judge\(names)."
    case .inconclusive, .void: return "The gate cannot decide\(names)."
    }
  }

  private var table: Table {
    Table(
      id: "gate", title: "Gate",
      columns: [.init("result"), .init("scenario"), .init("run"), .init("note", isDetail: true)],
      rows: results.map { result in
        [
          .init(word(result.status), tone(result.status)), .init(result.subject),
          .init(result.summary?.run.id ?? "-"), .init(result.note),
        ]
      })
  }

  private func word(_ status: ExitStatus) -> String {
    switch status {
    case .done: "passed"
    case .gateFailed: "failed"
    case .failed, .usage: "error"
    case .inconclusive: "inconclusive"
    case .void: "void"
    case .interrupted: "interrupted"
    }
  }

  private func tone(_ status: ExitStatus) -> Tone {
    switch status {
    case .done: .good
    case .gateFailed, .failed, .usage: .bad
    case .inconclusive, .void, .interrupted: .unknown
    }
  }
}
