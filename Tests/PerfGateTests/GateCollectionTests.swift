import Foundation
import PerfModel
import PerfReport
import PerfTestSupport
import Testing

@testable import PerfGate

/// Gates that are joined from the files of their shards.
struct GateCollectionTests {
  private typealias MadeUp = MadeUpComparisons
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let split = [["a", "b"], ["c"], ["d"]]

  private static func passed(_ name: String) -> GateResult {
    GateResult(
      subject: "\(name):default", summary: nil,
      comparison: MadeUp.judged([MadeUp.equivalent], accepting: []), note: "comparison c1",
      status: .done)
  }

  private static var regressed: GateResult {
    GateResult(
      subject: "c:default", summary: nil,
      comparison: MadeUp.judged(
        [MadeUp.regressed, MadeUp.metric("rss.peak", 0.03, .inconclusive)], accepting: []),
      note: "comparison c2", status: .gateFailed)
  }

  private static func report(
    _ results: [GateResult], status: PerfGate.ExitStatus? = nil, part: GatePart? = nil
  ) -> GateReport {
    GateReport(
      results: results, status: status ?? .worst(results.map(\.status)), scenarios: "Scenarios",
      part: part)
  }

  /// Writes the file of a shard of three.
  private func write(
    _ number: Int, _ results: [GateResult], status: PerfGate.ExitStatus? = nil, count: Int = 3,
    split: [[String]]? = Self.split, facts: [String: String] = ["the base": "abc"],
    to path: String? = nil
  ) throws {
    let shard = try #require(GateShard(number, of: count))
    let part = split.map { GatePart(shard: shard, split: $0, facts: facts) }
    let text = try GateShardFile(shard, Self.report(results, status: status, part: part)).text()
    let file = URL(fileURLWithPath: folder(path ?? shard.fileName))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func collected() throws -> GateCollection {
    try GateCollection(ofFolder: folder.path) { ($0 as NSString).lastPathComponent }
  }

  private func refusal() -> String {
    do {
      _ = try collected()
      return ""
    } catch {
      return "\(error)"
    }
  }

  // MARK: - Joining

  @Test func `joined shards have the comment, test cases and findings of one gate`() throws {
    let (first, second) = ([Self.passed("a"), Self.passed("b")], [Self.regressed])
    let third = [GateResult.failed("d", Failure("d has no program."))]
    // A CI system may place each file into a folder.
    try write(1, first, to: "one/gate-shard-1-of-3.json")
    try write(2, second, to: "two/gate-shard-2-of-3.json")
    try write(3, third)
    let joined = try collected()
    var whole = Self.report(first + second + third)
    whole.note = "3 shards of 3."
    #expect(!joined.isIncomplete)
    #expect(joined.digest.status == .gateFailed)
    #expect(joined.digest.comment == whole.digest.comment)
    #expect(joined.digest.cases == whole.digest.cases)
    #expect(joined.digest.json == JSONValue(parsing: whole.digest.json.text().utf8))
    #expect(joined.digest.annotations == whole.digest.annotations)
    #expect(
      joined.digest.findings.map(\.codeQuality) == whole.digest.findings.map(\.codeQuality))
    #expect(joined.document(.screen) == whole.document(.screen))
    #expect(joined.document(.all).tables.first?.rows.count == 4)
  }

  @Test func `a missing shard is inconclusive and named with its scenarios`() throws {
    try write(1, [Self.passed("a"), Self.passed("b")])
    try write(3, [Self.passed("d")])
    let joined = try collected()
    #expect(joined.isIncomplete)
    #expect(joined.digest.status == .inconclusive)
    #expect(joined.digest.sentence == "The gate is undecided: shard 2 of 3 (missing).")
    let note = "There is no result of the shard: its job did not end. Not judged: c."
    #expect(joined.digest.comment.contains("- ❔ **shard 2 of 3**: \(note)"))
    #expect(joined.digest.cases.last?.outcome == .skipped(note))
    try expect(joined.digest.json, matches: "verdict")
  }

  @Test func `a regression counts more than a missing shard`() throws {
    try write(2, [Self.regressed])
    let joined = try collected()
    #expect(joined.digest.status == .gateFailed && joined.isIncomplete)
    let missing = joined.digest.findings.filter { $0.topic == "missing" }.map(\.subject)
    #expect(missing == ["shard 1 of 3", "shard 3 of 3"])
  }

  @Test func `a stopped shard is incomplete`() throws {
    try write(1, [Self.passed("a")], status: .interrupted)
    try write(2, [Self.passed("c")])
    try write(3, [Self.passed("d")])
    let joined = try collected()
    #expect(joined.isIncomplete && joined.digest.status == .inconclusive)
    #expect(joined.digest.sentence == "The gate is undecided: shard 1 of 3 (interrupted).")
    #expect(joined.digest.comment.contains("The shard was stopped. Not judged in full: a and b."))
  }

  @Test(arguments: [PerfGate.ExitStatus.failed, .usage])
  func `a shard that failed as a whole is an error with its number`(
    status: PerfGate.ExitStatus
  ) throws {
    let failure = Failure("It does not build.", status: status)
    try write(1, [.failed("gate", failure, isOfScenario: false)], split: nil, facts: [:])
    try write(2, [Self.passed("c")])
    try write(3, [Self.passed("d")])
    let joined = try collected()
    #expect(joined.digest.status == .failed && !joined.isIncomplete)
    #expect(joined.digest.comment.contains("- ❌ **gate, shard 1 of 3**: It does not build."))
    #expect(joined.digest.cases.first?.suite == "gate, shard 1 of 3")
  }

  // MARK: - Refusing

  @Test func `two files of a shard are refused with both paths`() throws {
    try write(1, [Self.passed("a")])
    try write(1, [Self.passed("a")], to: "old/gate-shard-01-of-3.json")
    #expect(
      refusal().hasPrefix(
        "'gate-shard-1-of-3.json' and 'gate-shard-01-of-3.json' are both shard 1 of 3."))
  }

  @Test func `shards of different gates are refused with the difference`() throws {
    try write(1, [Self.passed("a")])
    try write(2, [Self.passed("c")], facts: ["the base": "def"])
    #expect(
      refusal().contains("the base is 'abc' in the first and 'def' in the second"), "\(refusal())")
    try write(2, [Self.passed("c")], facts: ["the base": "abc", "--quick": "true"])
    #expect(refusal().contains("--quick is unknown in the first and 'true' in the second"))
    try write(2, [Self.passed("c")], split: [["a"], ["b", "c"], ["d"]])
    #expect(refusal().contains("split the scenarios differently"), "\(refusal())")
    try FileManager.default.removeItem(atPath: folder("gate-shard-2-of-3.json"))
    try write(2, [Self.passed("c")], count: 2, split: [["a", "b"], ["c", "d"]])
    #expect(refusal().contains("is shard 1 of 3 and 'gate-shard-2-of-2.json' is shard 2 of 2"))
  }

  @Test func `a damaged file is refused with its path, wherever it was cut or changed`() throws {
    try write(1, [Self.passed("a"), Self.regressed])
    let path = folder("gate-shard-1-of-3.json")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(refusal() == "")
    func refused(_ changed: String) throws -> String {
      try changed.write(toFile: path, atomically: true, encoding: .utf8)
      return refusal()
    }
    for length in [0, 1, text.count / 2, text.count - 3] {
      let message = try refused(String(text.prefix(length)))
      #expect(message.contains("'gate-shard-1-of-3.json': it was truncated"), "\(message)")
      #expect(message.contains("Measure the shard again"), "\(message)")
    }
    for (old, new) in [("\"status\":1", "\"status\":0"), ("c2", "c3"), ("\"abc\"", "\"abd\"")] {
      #expect(try refused(text.replacing(old, with: new)).contains("its checksum"))
    }
    #expect(
      try refused(text.replacing("gate-shard/1", with: "gate-shard/2"))
        .contains("its format is perfkit.gate-shard/2"))
    #expect(try refused(text.replacing("\"count\":3", with: "\"count\":\"3\"")) != "")
    #expect(try refused(#"{"schema": "perfkit.verdict/1"}"#).contains("is not a file of"))
  }

  @Test func `a folder without results, and a missing folder, are errors with their path`() throws {
    #expect(refusal().contains("there is no result of a shard in"))
    try "x".write(toFile: folder("verdict.json"), atomically: true, encoding: .utf8)
    #expect(refusal().contains("there is no result of a shard in"))
    try FileManager.default.removeItem(atPath: folder.path)
    #expect(refusal().contains("cannot read the folder"))
  }
}
