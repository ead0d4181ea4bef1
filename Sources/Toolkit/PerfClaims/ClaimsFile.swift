internal import PerfModel
public import PerfScenario

/// A file with the claims of a case study and the evidence for each.
///
///     study: BooksTrack
///     claims:
///       - id: T8.1
///         quote: "99.99% reduction in data fetched"
///         claimed: less = 10000x
///         held: within 2x
///         before: store-query:naive
///         after: store-query:optimised
///         metric: store.existence_time
///
/// `metric` is one metric or arithmetic over several. `before_metric` replaces it for the run before the
/// change. Instead of runs, `formula` gives arithmetic over the case study's own numbers, and
/// `not_testable` the reason why there is no evidence. `note` is shown with the verdict.
public struct ClaimsFile {
  private static let keys = [
    "id", "quote", "claimed", "held", "before", "after", "metric", "before_metric", "formula",
    "not_testable", "note",
  ]

  let claims: [Claim]

  /// Reads all `.yml` files of a folder, in alphabetical order.
  ///
  /// - Throws: `ScenarioError`, also when two claims have the same ID.
  public static func claims(inFolder folder: String) throws(ScenarioError) -> [Claim] {
    var claims: [Claim] = []
    for name in try ScenarioLibrary(folder: folder).names() {
      let path = "\(folder)/\(name).yml"
      claims += try ClaimsFile(
        text: ScenarioText.read(path), path: path, knownIDs: Set(claims.map(\.id))
      ).claims
    }
    return claims
  }

  /// Reads a text; `path` names it in messages.
  ///
  /// - Throws: `ScenarioError.content` with file, line and column.
  init(text: String, path: String, knownIDs: Set<String> = []) throws(ScenarioError) {
    let file = try MappingReader(
      try YAMLNode.compose(text, file: path), key: "the file", owner: "the file",
      known: ["study", "claims"])
    let study = try file.required("study").string("study")
    var claims: [Claim] = []
    var ids = knownIDs
    for node in try file.required("claims").list("claims", of: "claims") {
      let reader = try MappingReader(node, key: "a claim", owner: "the claim", known: Self.keys)
      let name = try reader.required("id")
      let id = try name.string("id")
      guard Self.isID(id) else { throw name.fail(.badClaimID(id)) }
      guard ids.insert(id).inserted else { throw name.fail(.repeatedClaim(id)) }
      claims.append(try Self.claim(reader, id: id, study: study))
    }
    self.claims = claims
  }

  /// Returns whether a text has the form of an ID, such as `E17.2`.
  private static func isID(_ text: String) -> Bool {
    guard let first = text.first, first.isASCII, first.isUppercase else { return false }
    let parts = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { YAMLNode.int(String($0)).map { $0 > 0 } ?? false }
  }

  private static func claim(
    _ reader: MappingReader, id: String, study: String
  ) throws(ScenarioError) -> Claim {
    let assertion = try assertion(reader)
    let evidence = try evidence(reader)
    if assertion == nil, reader["not_testable"] == nil { _ = try reader.required("claimed") }
    if let assertion, assertion.aspect != .after {
      if case .measured(nil, _) = evidence {
        throw reader.node.fail(.missingKey("before", of: "a claim about a change"))
      }
      if case .computed = evidence {
        throw .content(reader.location(of: "claimed"), .conflictingKeys("formula", "before"))
      }
    }
    return Claim(
      id: id, study: study, quote: try reader.required("quote").string("quote"),
      assertion: assertion, evidence: evidence,
      note: try reader["note"]?.string("note") ?? "")
  }

  private static func assertion(_ reader: MappingReader) throws(ScenarioError) -> Assertion? {
    let held = try reader["held"].map { node throws(ScenarioError) in try node.string("held") }
    guard let node = reader["claimed"] else { return nil }
    let text = try node.string("claimed")
    do throws(ContentProblem) {
      // The tolerance of an untestable claim is never used.
      return try AssertionText.parse(
        text, held: held, default: reader["not_testable"] == nil ? nil : .exactly)
    } catch {
      throw node.fail(error)
    }
  }

  private static func evidence(_ reader: MappingReader) throws(ScenarioError) -> Claim.Evidence {
    let measurement = ["before", "after", "metric", "before_metric"]
    for (key, others) in [
      ("not_testable", measurement + ["formula", "held"]), ("formula", measurement),
    ] where reader[key] != nil {
      for other in others where reader[other] != nil {
        throw .content(reader.location(of: other), .conflictingKeys(other, key))
      }
    }
    if let node = reader["not_testable"] {
      return .notTestable(because: try node.string("not_testable"))
    }
    if let node = reader["formula"] {
      let (formula, text) = try formula(node, "formula")
      do throws(FormulaError) {
        _ = try formula.value()
      } catch {
        throw node.fail(.badFormula(text, reason: "has no value: \(error)"))
      }
      return .computed(formula, text: text)
    }
    let after = try source(try reader.required("after"), "after")
    let metric = try formula(try reader.required("metric"), "metric")
    let reading = Claim.Reading(source: after, formula: metric.formula, text: metric.text)
    guard let before = reader["before"] else {
      if reader["before_metric"] != nil {
        throw reader.node.fail(.missingKey("before", of: "a claim with 'before_metric'"))
      }
      return .measured(before: nil, after: reading)
    }
    let base = try source(before, "before")
    let other =
      if let node = reader["before_metric"] { try formula(node, "before_metric") } else { metric }
    return .measured(
      before: Claim.Reading(source: base, formula: other.formula, text: other.text), after: reading)
  }

  private static func source(
    _ node: YAMLNode, _ key: String
  ) throws(ScenarioError) -> Claim.Source {
    let parts = try node.string(key).split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
      throw node.mistyped(key, "like 'store-query:optimised'")
    }
    return Claim.Source(scenario: String(parts[0]), variant: String(parts[1]))
  }

  private static func formula(
    _ node: YAMLNode, _ key: String
  ) throws(ScenarioError) -> (formula: Formula, text: String) {
    let text = try node.string(key)
    do throws(FormulaText.Failure) {
      return (try FormulaText.parse(text), text)
    } catch {
      throw .content(node.location(ofCharacter: error.offset), error.problem)
    }
  }
}
