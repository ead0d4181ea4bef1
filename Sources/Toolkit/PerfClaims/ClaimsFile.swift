internal import PerfModel
public import PerfScenario

/// A file with the claims of a case study and the evidence for each.
///
///     study: BooksTrack
///     story: A library of 10,000 books opened its pages too slowly.
///     headlines:
///       T8.1: 99.99 % less time to look for a book
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
/// `not_testable` the reason why there is no evidence. `stated` is the reason why the evidence only
/// repeats an input, so that it proves nothing. `cap` is the highest possible value of the metric: a
/// change between two values at the cap shows nothing. `cause` explains a contradiction, with a result
/// that shows it; without a result the runs `before` and `after` show it if they differ in one parameter
/// alone. `note` is shown with the verdict.
public enum ClaimsFile {
  private static let keys =
    [
      "id", "quote", "claimed", "held", "formula", "not_testable", "stated", "cap",
      "cause", "note",
    ] + measurement

  static let measurement = ["before", "after", "metric", "before_metric"]

  /// Reads all `.yml` files of a folder, in alphabetical order.
  ///
  /// - Throws: `ScenarioError`, also when two claims have the same ID.
  public static func studies(inFolder folder: String) throws(ScenarioError) -> [ClaimStudy] {
    var studies: [ClaimStudy] = []
    for name in try ScenarioLibrary(folder: folder).names() {
      let path = "\(folder)/\(name).yml"
      studies.append(
        try study(
          of: ScenarioText.read(path), path: path, key: name,
          knownIDs: Set(studies.flatMap(\.claims).map(\.id))))
    }
    return studies
  }

  /// Reads a text; `path` names it in messages.
  ///
  /// - Throws: `ScenarioError.content` with file, line and column, or `.several`.
  static func study(
    of text: String, path: String, key: String = "", knownIDs: Set<String> = []
  ) throws(ScenarioError) -> ClaimStudy {
    try YAMLNode.read(text, file: path) { root throws(ScenarioError) in
      try study(of: root, key: key, knownIDs: knownIDs)
    }
  }

  private static func study(
    of root: YAMLNode, key: String, knownIDs: Set<String>
  ) throws(ScenarioError) -> ClaimStudy {
    let file = try MappingReader(
      root, key: "the file", owner: "the file", known: ["study", "story", "headlines", "claims"])
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
    return ClaimStudy(
      key: key, name: study, story: try file["story"]?.string("story") ?? "", claims: claims,
      headlines: try headlines(file, of: claims))
  }

  private static func headlines(
    _ file: MappingReader, of claims: [Claim]
  ) throws(ScenarioError) -> [ClaimStudy.Headline] {
    guard let node = file["headlines"] else { return [] }
    var headlines: [ClaimStudy.Headline] = []
    for (id, entry) in try MappingReader.pairs(of: node, key: "headlines") {
      guard claims.contains(where: { $0.id == id }) else {
        throw entry.key.fail(.unknownClaim(id))
      }
      headlines.append(.init(id: id, text: try entry.value.string("headlines")))
    }
    return headlines
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
    if let assertion, case .computed = evidence, assertion.aspect != .after {
      throw .content(reader.location(of: "claimed"), .conflictingKeys("formula", "before"))
    }
    if case .measured(let readings) = evidence { try check(assertion, about: readings, reader) }
    return Claim(
      id: id, study: study, quote: try reader.required("quote").string("quote"),
      assertion: assertion, evidence: evidence,
      stated: try reader["stated"]?.string("stated"), cause: try cause(reader),
      cap: try cap(reader), note: try reader["note"]?.string("note") ?? "")
  }

  /// Reads the explanation of a contradiction, whose test is written like a claim.
  private static func cause(_ claim: MappingReader) throws(ScenarioError) -> Claim.Cause? {
    guard
      let reader = try claim.mapping(
        "cause", known: ["because", "claimed", "held"] + measurement)
    else { return nil }
    let text = try reader.required("because").string("because")
    guard let assertion = try assertion(reader) else {
      if let other = (["held"] + measurement).first(where: { reader[$0] != nil }) {
        throw .content(reader.location(of: other), .missingKey("claimed", of: "the cause"))
      }
      // Without a test, only two runs that differ in one parameter alone show the cause.
      guard claim["before"] != nil else {
        throw reader.node.fail(.missingKey("claimed", of: "the cause"))
      }
      return Claim.Cause(text: text, test: nil)
    }
    let readings = try readings(reader)
    try check(assertion, about: readings, reader)
    return Claim.Cause(text: text, test: .init(assertion: assertion, readings: readings))
  }

  private static func cap(_ reader: MappingReader) throws(ScenarioError) -> Quantity? {
    guard let node = reader["cap"] else { return nil }
    guard reader["before"] != nil else {
      throw reader.node.fail(.missingKey("before", of: "a claim with 'cap'"))
    }
    let text = try node.string("cap")
    do throws(ContentProblem) {
      return try QuantityText.parse(text, of: "cap", nil, example: "120 fps")
    } catch {
      throw node.fail(error)
    }
  }

  private static func check(
    _ assertion: Assertion?, about readings: Claim.Readings, _ reader: MappingReader
  ) throws(ScenarioError) {
    guard let assertion, assertion.aspect != .after, readings.before == nil else { return }
    throw reader.node.fail(.missingKey("before", of: "a claim about a change"))
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
}
