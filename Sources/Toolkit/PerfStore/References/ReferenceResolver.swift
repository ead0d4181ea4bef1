internal import GRDB
internal import PerfModel

struct ReferenceResolver {
  let headers: HeaderReader
  let text: String
  let scenario: String?
  let variant: String?

  /// Runs that match a reference in one way.
  private typealias Match = (kind: RunReference.Kind, name: String, runs: [RunHeader])

  func run(_ reference: RunReference) throws -> RunHeader {
    let found = try runs(reference)
    var latest: [String: RunHeader] = [:]
    for run in found where latest[run.subject] == nil { latest[run.subject] = run }
    guard latest.count <= 1, let run = found.first else {
      let choices = latest.values.sorted { $0.subject < $1.subject }
      throw StoreError.ambiguousReference(
        text: text, matches: choices.map { "run:\($0.id)  \($0.subject), \($0.started.short)" })
    }
    return run
  }

  /// Returns all runs, the latest first; at least one.
  func runs(_ reference: RunReference) throws -> [RunHeader] {
    let matches: [Match]
    switch reference {
    case .latest(let distance):
      guard let run = try headers.header(fromLatest: distance) else {
        throw try missing(kind: nil, isTooFarBack: true)
      }
      return [run]
    case .named(let kind, let name): matches = try self.matches(kind, name)
    case .any(let name):
      matches = try RunReference.Kind.allCases.flatMap { try self.matches($0, name) }
    }
    guard let match = matches.first else {
      if case .named(let kind, _) = reference { throw try missing(kind: kind) }
      throw try missing(kind: nil)
    }
    guard matches.count == 1 else {
      throw StoreError.ambiguousReference(text: text, matches: matches.map(Self.line(of:)))
    }
    return match.runs
  }

  private func matches(_ kind: RunReference.Kind, _ name: String) throws -> [Match] {
    switch kind {
    case .run: try matchingRuns(name)
    case .label: match(kind, name, try headers.headers(RunFilter(label: name)))
    case .baseline: match(kind, name, try headers.headers(baseline: name))
    case .commit: try matchingCommits(name)
    case .variant: try matchingSubjects(name)
    }
  }

  private func match(_ kind: RunReference.Kind, _ name: String, _ runs: [RunHeader]) -> [Match] {
    let wanted = runs.filter { run in
      (scenario ?? run.scenario) == run.scenario && (variant ?? run.variant) == run.variant
    }
    return wanted.isEmpty ? [] : [(kind, name, wanted)]
  }

  /// Returns the run with the id, or the runs whose ids begin with it.
  ///
  /// A full id matches alone, even if other ids begin with it.
  private func matchingRuns(_ name: String) throws -> [Match] {
    if let run = try headers.header(id: name) { return match(.run, run.id, [run]) }
    guard name.count >= RunReference.shortestID else { return [] }
    return try headers.headers(idPrefix: name).flatMap { match(.run, $0.id, [$0]) }
  }

  private func matchingCommits(_ name: String) throws -> [Match] {
    guard name.count >= RunReference.shortestCommit, name.isHexadecimal else { return [] }
    let runs = try headers.headers(RunFilter(commitPrefix: name.lowercased()))
    let byCommit = Dictionary(grouping: runs) { $0.commit ?? "" }
    return byCommit.sorted { $0.key < $1.key }.flatMap { match(.commit, $0.key, $0.value) }
  }

  /// Returns the runs of `scenario:variant`, or of all variants of a scenario.
  private func matchingSubjects(_ name: String) throws -> [Match] {
    guard let colon = name.firstIndex(of: ":") else {
      return match(.variant, name, try headers.headers(RunFilter(scenario: name)))
    }
    let filter = RunFilter(
      scenario: String(name[..<colon]), variant: String(name[name.index(after: colon)...]))
    return match(.variant, name, try headers.headers(filter))
  }

  private static func line(of match: Match) -> String {
    let count = match.runs.count
    let latest = match.runs.first.map { "\($0.subject), \($0.started.short)" } ?? ""
    return "\(match.kind.rawValue):\(match.name)  \(count == 1 ? "" : "\(count) runs, latest ")"
      + latest
  }

  /// Returns the error of a reference without a match, with the nearest name.
  private func missing(kind: RunReference.Kind?, isTooFarBack: Bool = false) throws -> StoreError {
    let count = try Int.fetchOne(headers.db, sql: "SELECT count(*) FROM runs") ?? 0
    if count == 0 { return .noRuns(path: headers.path) }
    if isTooFarBack {
      let runs = count == 1 ? "1 run" : "\(count) runs"
      return .invalidReference(text: text, reason: "the store contains only \(runs)")
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM comparisons WHERE id = ?)"
    if kind == nil, try Bool.fetchOne(headers.db, sql: sql, arguments: [text]) == true {
      return .invalidReference(
        text: text, reason: "it is a comparison. 'perfkit compare \(text)' prints it")
    }
    let prefix = kind.map { $0.rawValue + ":" } ?? ""
    let name = String(text.dropFirst(prefix.count))
    let wanted = [scenario.map { "scenario '\($0)'" }, variant.map { "variant '\($0)'" }]
      .compactMap(\.self)
    if !wanted.isEmpty {
      return .unknownReference(
        text: name, kind: kind, hint: " in \(wanted.joined(separator: " and "))")
    }
    let known = try knownNames(of: kind)
    return .unknownReference(
      text: name, kind: kind, hint: NearestName.hint(for: name, among: known))
  }

  private func knownNames(of kind: RunReference.Kind?) throws -> [String] {
    let selects: KeyValuePairs<RunReference.Kind, String> = [
      .variant: """
      SELECT DISTINCT scenario || ':' || variant FROM runs UNION SELECT scenario FROM runs
      """,
      .label: "SELECT DISTINCT label FROM runs WHERE label IS NOT NULL",
      .baseline: "SELECT name FROM baselines",
      .run: "SELECT id FROM runs ORDER BY started_ms DESC LIMIT 1000",
    ]
    return try selects.filter { kind == nil || kind == $0.key }.flatMap {
      try String.fetchAll(headers.db, sql: $0.value)
    }
  }
}
