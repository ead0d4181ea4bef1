import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct ReferenceTests {
  private static let commitA = "aaaaaaa0123456789aaaaaaa0123456789aaaaaa"
  private static let commitB = "aaaaaaab23456789aaaaaaa0123456789aaaaaa1"
  private static let commitC = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"

  /// Five runs, one minute apart, the latest last, and two baselines.
  ///
  /// | id | subject | label | commit |
  /// |---|---|---|---|
  /// | 0abc1 | scroll-1000:naive | before | A |
  /// | 0abc2 | scroll-1000:optimised | after | B |
  /// | 0abd3 | cold-start:default | before | C |
  /// | 0xyz4 | scroll-1000:optimised | after | B |
  /// | twice | cold-start:default | both | C |
  private static func store() throws -> RunStore {
    let store = try RunStore.inMemory()
    let rows: [(id: String, scenario: String, variant: String, label: String, commit: String)] = [
      ("0abc1", "scroll-1000", "naive", "before", commitA),
      ("0abc2", "scroll-1000", "optimised", "after", commitB),
      ("0abd3", "cold-start", "default", "before", commitC),
      ("0xyz4", "scroll-1000", "optimised", "after", commitB),
      ("twice", "cold-start", "default", "both", commitC),
    ]
    for (number, row) in rows.enumerated() {
      let start = SampleRuns.firstStart.milliseconds + Int64(number) * 60_000
      try store.save(
        SampleRuns.run(
          variant: row.variant, scenario: row.scenario, launches: 1, samples: 0, fling: 0,
          started: Timestamp(milliseconds: start), label: row.label, commit: row.commit,
          id: row.id))
    }
    try store.saveBaseline("release", runs: ["0abc2", "0xyz4"], saved: SampleRuns.firstStart)
    try store.saveBaseline("both", runs: ["0abc1"], saved: SampleRuns.firstStart)
    return store
  }

  @Test(arguments: [
    ("latest", "twice"), ("latest~0", "twice"), ("latest~2", "0abd3"), ("latest~4", "0abc1"),
    ("0abc1", "0abc1"), ("0xyz", "0xyz4"), ("run:0xyz", "0xyz4"), ("run:0abc2", "0abc2"),
    ("after", "0xyz4"), ("label:after", "0xyz4"), ("label:both", "twice"),
    ("release", "0xyz4"), ("baseline:release", "0xyz4"), ("baseline:both", "0abc1"),
    ("c0ffee0", "twice"), ("C0FFEE0", "twice"), (commitC, "twice"), ("commit:c0ffee0", "twice"),
    ("aaaaaaa0", "0abc1"), ("commit:aaaaaaab", "0xyz4"),
    ("scroll-1000:naive", "0abc1"), ("scroll-1000:optimised", "0xyz4"),
    ("variant:scroll-1000:optimised", "0xyz4"), ("cold-start", "twice"),
    ("variant:cold-start", "twice"),
  ])
  func `a reference resolves to its run`(text: String, id: String) throws {
    #expect(try Self.store().resolve(text).id == id)
  }

  @Test(arguments: [
    // A label and a baseline.
    ("both", ["label:both", "baseline:both"]),
    // Two ids with the same prefix.
    ("0abc", ["run:0abc1", "run:0abc2"]), ("run:0abc", ["run:0abc1", "run:0abc2"]),
    // A label with runs of two scenarios.
    ("label:before", ["run:0abd3", "run:0abc1"]), ("before", ["run:0abd3", "run:0abc1"]),
    // A scenario with two variants.
    ("scroll-1000", ["run:0abc1", "run:0xyz4"]),
    // Two commits with the same prefix.
    ("aaaaaaa", ["commit:aaaaaaa0", "commit:aaaaaaab"]),
  ])
  func `an ambiguous reference lists its matches`(text: String, choices: [String]) throws {
    let error = try #require(
      #expect(throws: StoreError.self) { try Self.store().resolve(text) })
    guard case .ambiguousReference(text, let matches) = error else {
      Issue.record("not the error of several matches: \(error)")
      return
    }
    #expect(matches.count == choices.count)
    for choice in choices { #expect(matches.contains { $0.hasPrefix(choice) }, "\(matches)") }
    #expect("\(error)".hasPrefix("'\(text)' is ambiguous. Pass one of these 2:\n  "))
  }

  @Test(arguments: [
    "", "run:", "label:", "latest~", "latest~x", "latest~-1", "latest~1~1", "latest~ 1", "latest~5",
    "latest~99999999999999999999", "run:0ab", "commit:aaaaaa", "commit:zzzzzzzz",
  ])
  func `an invalid reference throws an error with a reason`(text: String) throws {
    let error = try #require(
      #expect(throws: StoreError.self) { try Self.store().resolve(text) })
    guard case .invalidReference(text, let reason) = error else {
      Issue.record("not the error of a bad reference: \(error)")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test(
    arguments: [
      ("scrol-1000:naive", nil, "; did you mean 'scroll-1000:naive'?"),
      ("scroll-1000:naiv", nil, "; did you mean 'scroll-1000:naive'?"),
      ("befor", nil, "; did you mean 'before'?"), ("label:realese", .label, ""),
      ("baseline:realese", .baseline, "; did you mean 'release'?"), ("0ab", nil, ""),
      ("commit:bbbbbbb", .commit, ""), ("zzz", nil, ""), ("run:9999", .run, ""),
      ("variant:scroll-1000:x", .variant, "; did you mean 'scroll-1000'?"), ("latest:x", nil, ""),
    ] as [(String, RunReference.Kind?, String)])
  func `a reference without a match names the nearest name`(
    text: String, kind: RunReference.Kind?, hint: String
  ) throws {
    let name = kind.map { String(text.dropFirst($0.rawValue.count + 1)) } ?? text
    #expect(throws: StoreError.unknownReference(text: name, kind: kind, hint: hint)) {
      try Self.store().resolve(text)
    }
  }

  @Test(arguments: [
    (
      StoreError.unknownReference(text: "befor", kind: .label, hint: "; did you mean 'before'?"),
      "no run has a label called 'befor'; did you mean 'before'? "
    ),
    (
      StoreError.unknownReference(text: "x", kind: nil, hint: ""),
      "no run, label, baseline, commit or variant is called 'x'. "
    ),
    (
      StoreError.unknownReference(text: "x", kind: .commit, hint: " in scenario 'y'"),
      "no run was made of a commit called 'x' in scenario 'y'. "
    ),
  ])
  func `messages of missing references are sentences`(error: StoreError, text: String) {
    #expect("\(error)" == text + "'perfkit list runs' lists all runs.")
  }

  @Test func `resolving a reference in an empty store explains how to make a run`() throws {
    let store = try RunStore.inMemory()
    for text in ["latest", "latest~3", "label:x", "scroll-1000:naive", "0abc1"] {
      #expect(throws: StoreError.noRuns(path: ":memory:")) { try store.resolve(text) }
    }
  }

  @Test func `a scenario and a variant make a reference unique`() throws {
    let store = try Self.store()
    #expect(try store.resolve("before", scenario: "scroll-1000").id == "0abc1")
    #expect(try store.resolve("scroll-1000", variant: "naive").id == "0abc1")
    #expect(
      throws: StoreError.unknownReference(
        text: "after", kind: .label, hint: " in scenario 'cold-start'")
    ) { try store.resolve("label:after", scenario: "cold-start") }
  }

  @Test func `all runs of a name are returned, the latest first`() throws {
    let store = try Self.store()
    #expect(try store.runs(named: "before").map(\.id) == ["0abd3", "0abc1"])
    #expect(try store.runs(named: "release").map(\.id) == ["0xyz4", "0abc2"])
    #expect(try store.runs(named: "scroll-1000").map(\.id) == ["0xyz4", "0abc2", "0abc1"])
    #expect(try store.runs(named: "latest~1").map(\.id) == ["0xyz4"])
    #expect(throws: StoreError.self) { try store.runs(named: "both") }
  }

  @Test func `a full id resolves to its run even if another id begins with it`() throws {
    let store = try RunStore.inMemory()
    for id in ["abcde", "abcdef"] {
      try store.save(SampleRuns.run(launches: 1, samples: 0, fling: 0, id: id))
    }
    #expect(try store.resolve("abcde").id == "abcde")
    #expect(throws: StoreError.self) { try store.resolve("abcd") }
  }

  @Test(arguments: [
    ("", "it is empty"), ("latest", "it means the latest run"), ("a:b", "it contains ':'"),
    ("a~1", "it contains '~'"), ("main..HEAD", "it contains '..'"),
    ("deadbee", "it looks like a commit"), ("DEADBEEF00", "it looks like a commit"),
    ("1234567", "it looks like a commit"), ("a\nb", "it contains a control character"),
    (" a", "it starts or ends with a space"), ("--x", "it looks like an option"),
  ])
  func `a name that looks like another reference is refused`(name: String, why: String) throws {
    let refusal = StoreError.invalidName(name: name, reason: why)
    #expect(throws: refusal) { try StoredName.check(name) }
    let store = try RunStore.inMemory()
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    #expect(throws: refusal) { try store.save(run.with(label: name)) }
    #expect(throws: refusal) { try store.begin(run.with(label: name)) }
    try store.save(run)
    #expect(throws: refusal) {
      try store.saveBaseline(name, runs: [run.id], saved: SampleRuns.firstStart)
    }
  }

  @Test(arguments: [
    "before", "v1.2", "deadbe", "deadbeef-2", "Größe", "my run", "latest-2", "12345678g",
  ])
  func `ordinary names are accepted`(name: String) throws {
    try StoredName.check(name)
  }

  @Test func `lists of runs are filtered and begin with the latest run`() throws {
    let store = try Self.store()
    func ids(_ filter: RunFilter) throws -> [String] { try store.headers(filter).map(\.id) }
    #expect(try ids(RunFilter()) == ["twice", "0xyz4", "0abd3", "0abc2", "0abc1"])
    #expect(try ids(RunFilter(limit: 2)) == ["twice", "0xyz4"])
    #expect(try ids(RunFilter(scenario: "cold-start")) == ["twice", "0abd3"])
    #expect(try ids(RunFilter(scenario: "scroll-1000", variant: "naive")) == ["0abc1"])
    #expect(try ids(RunFilter(label: "after", limit: 1)) == ["0xyz4"])
    #expect(try ids(RunFilter(commitPrefix: "aaaaaaa")) == ["0xyz4", "0abc2", "0abc1"])
    #expect(try ids(RunFilter(scenario: "none")).isEmpty)
  }

  @Test func `a header contains the facts of a run`() throws {
    let store = try RunStore.inMemory()
    let run = SampleRuns.run(
      launches: 4, warmup: 1, samples: 90, fling: 100, label: "x", statuses: [3: .timedOut])
    try store.save(run)
    let header = try #require(try store.headers().first)
    #expect(header.id == run.id)
    #expect(header.subject == "scroll-1000:optimised")
    #expect(header.label == "x")
    #expect(header.commit == SampleRuns.commit)
    #expect(header.isDirty == false)
    #expect(header.started == run.started)
    #expect(header.state == .finished)
    #expect(header.completed == 3)
    #expect(header.failed == 1)
    #expect(header.samples == 90)
    #expect(
      "\(header)" == "run \(run.id) (scroll-1000:optimised, 2026-11-21 02:18, label x)")
  }
}
