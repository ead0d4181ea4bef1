internal import PerfModel
internal import PerfReport
internal import PerfScenario

/// A change of the gate's rules between base and candidate, which is a result of its own.
struct GateChange: Hashable {
  /// The kind of a change.
  enum Kind: String, CaseIterable {
    /// The candidate lacks a scenario of the base.
    case removed
    /// A scenario of the base has another name.
    case renamed
    /// A rule of the candidate accepts more than the base's.
    case loosened
    /// The candidate's file measures something else.
    case changed
    /// The base's rules cannot be read.
    case unreadable
  }

  /// The end of a sentence on a scenario that is judged by the base's file.
  static let byBase = " The base's rules decide."

  let kind: Kind
  /// The scenario, or `perfkit.yml`.
  let subject: String
  /// The change in a sentence, by which a decision knows it again.
  let sentence: String
  /// The number of the decision that accepts the change; nil for none.
  var decision: Int?
  /// The revision that the user named as the base; nil for the project's base.
  var against: String?

  /// Returns the warning that the base's file of a scenario, or its project file, cannot be read.
  static func unreadable(_ subject: String, _ error: ScenarioError) -> GateChange {
    GateChange(
      kind: .unreadable, subject: subject,
      sentence: "The base's rules cannot be read, so that the candidate's decide: \(error)")
  }

  /// The name by which `perfkit decide` accepts the change.
  var id: String { "\(kind.rawValue):\(subject)" }

  private var isFailure: Bool { decision == nil && [.removed, .loosened].contains(kind) }

  /// The result of the change, with the command that accepts it.
  var result: GateResult {
    let base = against.map { ["--against", $0] } ?? []
    let command = "perfkit decide \(Wording.command([id] + base)) --keep --because TEXT."
    let note =
      switch (decision, kind) {
      case (let decision?, .changed):
        "\(sentence) Both sides are measured by this content: decision \(decision) accepts it."
      case (let decision?, _):
        "\(sentence.replacing(Self.byBase, with: "")) It is accepted by decision \(decision)."
      case (nil, .loosened) where sentence.hasSuffix(Self.byBase):
        "\(sentence) New budgets of the file count once it is accepted. Accept it: \(command)"
      case (nil, .removed), (nil, .loosened): "\(sentence) Accept it: \(command)"
      case (nil, .changed):
        "\(sentence) Both sides are measured by the base's file. Accept the new file: \(command)"
      case (nil, .renamed), (nil, .unreadable): sentence
      }
    return GateResult(
      subject: subject, summary: nil, comparison: nil, note: note,
      status: isFailure ? .gateFailed : .done,
      isOfScenario: kind != .removed && subject != ProjectFile.name, change: self)
  }

  /// The change in `verdict.json`.
  var json: JSONValue {
    .object([
      "kind": .string(kind.rawValue), "id": .string(id), "sentence": .string(sentence),
      "decision": .optional(decision),
    ])
  }

  /// The level of its finding.
  var level: GateFinding.Level {
    if isFailure { return .failure }
    return decision == nil && kind != .renamed ? .warning : .notice
  }

  /// Returns the change with the decision that accepts it.
  ///
  /// - Parameters:
  ///   - ledger: All decisions.
  ///   - base: The commit of the base, which lacks the change.
  ///   - name: The revision that the user named as the base; nil for the project's base.
  /// - Returns: The change.
  func decided(by ledger: [Decision], base: String, named name: String? = nil) -> GateChange {
    var change = self
    change.against = name
    change.decision =
      ledger.standing.last { decision in
        decision.comparison == id && decision.sentence == sentence && decision.base.commit == base
      }?.number
    return change
  }
}
