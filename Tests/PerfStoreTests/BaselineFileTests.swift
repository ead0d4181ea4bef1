import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct BaselineFileTests {
  private let store: RunStore

  init() throws {
    store = try RunStore.inMemory()
    for id in ["one1", "two2"] { try store.save(Self.run(id)) }
    try store.saveBaseline("main", runs: ["two2", "one1"], saved: SampleRuns.firstStart)
  }

  private static func run(_ id: String) -> Run {
    SampleRuns.run(
      launches: 3, samples: 40, fling: 100, label: "nightly", id: id,
      statuses: [2: .crashed(signal: 11)])
  }

  private func text() throws -> String { try store.baselineFile(of: "main").text() }

  private func read(_ text: String) throws -> BaselineFile {
    try BaselineFile(Array(text.utf8), path: "main.json")
  }

  /// Returns the reason why a text is refused, or nil.
  private func refusal(_ text: String) -> String? {
    do {
      _ = try read(text)
      return nil
    } catch StoreError.notImportable("main.json", let cause) {
      return cause
    } catch {
      return "\(error)"
    }
  }

  @Test func `an imported baseline has all data for comparisons`() throws {
    let other = try RunStore.inMemory()
    let result = try other.importBaseline(read(text()))
    #expect(result == .init(name: "main", newRuns: 2, knownRuns: 0))
    let baseline = try other.baseline(named: "main")
    #expect(baseline.runs.map(\.id) == ["two2", "one1"])
    #expect(baseline.saved == SampleRuns.firstStart)
    for id in ["one1", "two2"] {
      expectEqual(try other.run(id: id, including: []), try store.run(id: id, including: []))
    }
    #expect(try other.run(id: "one1").profile == nil)
  }

  @Test func `a second import of a baseline changes nothing and counts the known runs`() throws {
    let file = try read(text())
    #expect(try store.importBaseline(file).knownRuns == 2)
    #expect(try store.run(id: "one1").profile != nil, "the run that was there stays whole")
    #expect(try store.headers().count == 2)
    #expect(try store.check() == [])
  }

  @Test func `an existing baseline of the same name is replaced only on request`() throws {
    let file = try read(text())
    let other = try RunStore.inMemory()
    try other.save(Self.run("own1"))
    try other.saveBaseline("main", runs: ["own1"], saved: SampleRuns.firstStart)
    #expect(throws: StoreError.baselineExists(name: "main")) { try other.importBaseline(file) }
    #expect(try other.headers().map(\.id) == ["own1"])
    #expect(try other.importBaseline(file, as: "ci").name == "ci")
    _ = try other.importBaseline(file, isReplacing: true)
    #expect(try other.baseline(named: "main").runs.count == 2)
    #expect(throws: StoreError.self) { try other.importBaseline(file, as: "a:b") }
  }

  @Test func `a stored run with the same id and other values is never replaced`() throws {
    let file = try read(text())
    let other = try RunStore.inMemory()
    try other.save(Self.run("two2").with(seed: 99))
    #expect(throws: StoreError.differentContent(id: "two2")) { try other.importBaseline(file) }
    #expect(try other.baselines().isEmpty)
    #expect(try other.headers().count == 1)
  }

  @Test func `a truncated or changed baseline file is refused`() throws {
    let text = try text()
    #expect(refusal(text) == nil)
    for length in stride(from: 0, to: text.utf8.count - 2, by: 499) {
      #expect(refusal(String(text.prefix(length))) != nil, "cut at \(length)")
    }
    let letters = text.indices.filter { text[$0] == "a" }
    for index in letters.enumerated().filter({ $0.offset.isMultiple(of: 23) }).map(\.element) {
      var changed = text
      changed.replaceSubrange(index...index, with: "b")
      #expect(refusal(changed) != nil)
    }
  }

  @Test(arguments: [
    ("{}", "not a file of"), ("[]", "not a file of"), ("", "not a file of"),
    ("\u{0}", "not a file of"),
    ("{\"schema\":\"perfkit.run/1\"}", "not a file of"),
    ("{\"schema\":\"perfkit.baseline/2\"}", "perfkit.baseline/2, and this perfkit knows only"),
    ("{\"schema\":\"perfkit.baseline/1\"}", "a value is missing"),
    (String(repeating: "[", count: 100_000), "not a file of"),
  ])
  func `a file that is not a baseline of this version is refused`(text: String, cause: String) {
    #expect(refusal(text)?.contains(cause) == true)
  }

  @Test(arguments: [
    ("id", "\"../x\"", "invalid id"), ("scenario", "\"../../etc/x\"", "an invalid scenario"),
    ("variant", "\"\"", "an invalid scenario"), ("label", "\"latest\"", "latest run"),
    ("started", "9223372036854775807", "invalid start time"),
    ("started", "-1", "invalid start time"),
    ("parameters", "{\"x\": {}}", "parameter x"),
    ("launches", "[\(Self.launch("vanished", 0))]", "invalid index or status"),
    ("launches", "[\(Self.launch("crashed", 0))]", "invalid index or status"),
    ("launches", "[\(Self.launch("completed", -1))]", "invalid index or status"),
    (
      "launches", "[\(Self.launch("completed", 3)), \(Self.launch("completed", 3))]",
      "two launches"
    ),
  ])
  func `a baseline file with a valid checksum and invalid values is refused`(
    field: String, json: String, cause: String
  ) throws {
    var run = try #require(
      JSONSerialization.jsonObject(
        with: JSONEncoder().encode(RunRecord(Self.run("one1")))) as? [String: Any])
    run[field] = try JSONSerialization.jsonObject(
      with: Data(json.utf8), options: .fragmentsAllowed)
    let record = try JSONDecoder().decode(
      RunRecord.self, from: JSONSerialization.data(withJSONObject: run))
    let text = try BaselineFile.text(of: [record], name: "main", saved: SampleRuns.firstStart)
    #expect(refusal(text)?.contains(cause) == true)
  }

  private static func launch(_ status: String, _ index: Int) -> String {
    "{\"index\": \(index), \"isWarmup\": false, \"status\": \"\(status)\", \"offset\": 0, "
      + "\"metrics\": {\"wall\": 1}}"
  }

  @Test func `exporting a baseline with NaN fails with the name of the metric`() throws {
    let launch = Launch(
      index: 0, isWarmup: false, status: .completed, offset: 0, metrics: ["wall": .nan])
    try store.save(Self.run("nan1").with(launches: [launch]))
    try store.saveBaseline("bad", runs: ["nan1"], saved: SampleRuns.firstStart)
    #expect(
      throws: StoreError.unstorable(run: "nan1", reason: "a value of wall is not a finite number")
    ) {
      try store.baselineFile(of: "bad").text()
    }
  }
}
