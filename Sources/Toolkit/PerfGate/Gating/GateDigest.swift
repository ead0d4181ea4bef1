internal import PerfModel
public import PerfReport

/// The results of a gate as texts: the content of its files for CI systems, and of a shard's file.
public struct GateDigest: Codable, Sendable {
  /// A result in one line.
  struct Line: Codable {
    /// A finding that a decision accepted.
    enum Acceptance: String, Codable {
      case change
      case regression
    }

    var subject: String
    /// The id of the run; nil without one.
    let run: String?
    /// The result in a word, such as `passed`.
    let word: String
    let status: ExitStatus
    let note: String
    /// Whether the sentence of the gate names the result if it did not pass.
    let isNamed: Bool
    let acceptance: Acceptance?

    private enum CodingKeys: String, CodingKey {
      case subject, run, word, status, note, acceptance
      case isNamed = "named"
    }
  }

  /// A JUnit test case.
  struct Check: Codable {
    /// The outcome of a test case.
    enum Outcome: String, Codable {
      case passed, failed, skipped, error
    }

    var suite: String
    let name: String
    let outcome: Outcome
    let text: String

    init(_ check: JUnitRenderer.Case) {
      (suite, name) = (check.suite, check.name)
      let result: (outcome: Outcome, text: String) =
        switch check.outcome {
        case .passed: (.passed, "")
        case .failed(let text): (.failed, text)
        case .skipped(let text): (.skipped, text)
        case .error(let text): (.error, text)
        }
      (outcome, text) = result
    }

    fileprivate var check: JUnitRenderer.Case {
      let result: JUnitRenderer.CheckResult =
        switch outcome {
        case .passed: .passed
        case .failed: .failed(text)
        case .skipped: .skipped(text)
        case .error: .error(text)
        }
      return JUnitRenderer.Case(suite: suite, name: name, outcome: result)
    }
  }

  /// The exit status of the gate.
  public var status: ExitStatus
  /// Information about the whole gate; nil for none.
  var note: String?
  var lines: [Line]
  /// The elements of `results` in `verdict.json`.
  var results: [JSONValue]
  /// The findings: failures first, then warnings, then notices.
  public internal(set) var findings: [GateFinding]
  var checks: [Check]
  /// The table rows of decided gating metrics in Markdown.
  var decided: [String]
  /// The table rows of undecided gating metrics in Markdown.
  var undecided: [String]
  /// Whether failed launches are left out of an undecided metric.
  var hasFailures: Bool
  /// Sentences in Markdown about changes of single launches.
  var spreads: [String]
  /// The known noise of the machine; nil if it is unknown.
  var noise: String?

  private enum CodingKeys: String, CodingKey {
    case status, note, lines, results, findings, checks, decided, undecided, spreads, noise
    case hasFailures = "failures"
  }

  /// The JUnit test cases.
  public var cases: [JUnitRenderer.Case] { checks.map(\.check) }

  /// The content of `verdict.json`.
  public var json: JSONValue {
    .object([
      "schema": "perfkit.verdict/1",
      "status": .int(Int(status.rawValue)),
      "verdict": .string(status.word),
      "note": .optional(note),
      "results": .array(results),
    ])
  }

  /// The lines that GitHub shows as annotations: ten findings and the number of the others.
  ///
  /// GitHub shows ten errors and ten warnings of a step.
  public var annotations: [String] {
    let limit = 10
    let rest = findings.count - limit
    let more =
      rest > 0
      ? ["::notice title=perfkit::\(Wording.count(rest, "more finding")): see verdict.json"] : []
    return findings.prefix(limit).map(\.annotation) + more
  }

  /// The verdict in one sentence.
  var sentence: String { Self.sentence(lines, status) }

  /// Returns the verdict in one sentence.
  static func sentence(_ lines: [Line], _ status: ExitStatus) -> String {
    let bad = lines.filter { $0.status != .done }
    let subjects = bad.filter(\.isNamed).map { "\($0.subject) (\($0.word))" }
    // Problems of the gate as a whole are listed as findings instead.
    let names = subjects.isEmpty ? "" : ": " + subjects.joined(separator: ", ")
    switch status {
    case .done where bad.isEmpty:
      guard !lines.contains(where: { $0.acceptance == .change }) else {
        return "The gate passed: every finding was accepted by a decision."
      }
      return lines.contains { $0.acceptance == .regression }
        ? "The gate passed: every regression was accepted by a decision."
        : "The gate passed: no budget is broken and nothing regressed."
    case .done: return "The gate passed, but is undecided\(names)."
    case .gateFailed: return "The gate failed\(names)."
    case .interrupted: return "The gate was stopped before everything was judged."
    case .failed, .usage: return "The gate could not be judged\(names)."
    case .inconclusive, .void: return "The gate is undecided\(names)."
    }
  }

  /// The results as a table.
  var table: Table {
    Table(
      id: "gate", title: "Gate",
      columns: [.init("result"), .init("scenario"), .init("run"), .init("note", isDetail: true)],
      rows: lines.map { line in
        [
          .init(line.word, line.status.tone), .init(line.subject), .init(line.run ?? "-"),
          .init(line.note),
        ]
      })
  }
}

extension ExitStatus: Codable {}

extension ExitStatus {
  /// The status of a gate, or of a result, in a word.
  var word: String {
    switch self {
    case .done: "passed"
    case .gateFailed: "failed"
    case .failed, .usage: "error"
    case .inconclusive: "inconclusive"
    case .void: "void"
    case .interrupted: "interrupted"
    }
  }

  var tone: Tone {
    switch self {
    case .done: .good
    case .gateFailed, .failed, .usage: .bad
    case .inconclusive, .void, .interrupted: .unknown
    }
  }
}
