import Foundation
import PerfModel
import PerfTestSupport
import Testing

/// Tests of small values of the model.
struct ValueTests {
  @Test(
    arguments: [
      ("42", .int(42)), ("-1", .int(-1)), ("0", .int(0)), ("1", .int(1)), ("0.5", .double(0.5)),
      ("true", .bool(true)), ("false", .bool(false)), (#""1""#, .string("1")),
      (#""""#, .string("")),
    ] as [(String, ParameterValue)])
  func `a parameter is encoded as a bare JSON value`(json: String, value: ParameterValue) throws {
    let wrapped = Data("[\(json)]".utf8)
    #expect(try JSONDecoder().decode([ParameterValue].self, from: wrapped) == [value])
    #expect(String(decoding: try JSONEncoder().encode([value]), as: UTF8.self) == "[\(json)]")
  }

  @Test func `other JSON values are not decoded as parameters`() {
    for json in ["[null]", "[[]]", "[{}]"] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode([ParameterValue].self, from: Data(json.utf8))
      }
    }
  }

  @Test(
    arguments: [
      (.int(3), "3"), (.double(2), "2"), (.double(0.998), "0.998"), (.string("lru"), "lru"),
      (.bool(true), "true"),
    ] as [(ParameterValue, String)])
  func `a parameter is described as it is written`(value: ParameterValue, text: String) {
    #expect("\(value)" == text)
  }

  @Test(
    arguments: [
      ("The operation could not be completed. Permission denied", "Permission denied"),
      ("You don't have permission.", "You don't have permission"),
      ("Is a directory", "Is a directory"),
      ("", ""),
    ])
  func `a system's error description becomes a clause`(description: String, clause: String) {
    #expect(ErrorReason.clause(description) == clause)
  }

  @Test func `a warning is described by its message and its remedy with one full stop between`() {
    #expect(RunWarning(code: "a", message: "It is.", remedy: "Do.").description == "It is. Do.")
    #expect(RunWarning(code: "a", message: "It is", remedy: "Do.").description == "It is. Do.")
    #expect(RunWarning(code: "a", message: "It is").description == "It is")
  }

  @Test(
    arguments: [
      (.percentile(50), .atMost, "rss.peak <= 150 MB"), (.max, .atMost, "max(rss.peak) <= 150 MB"),
      (.percentile(95), .atLeast, "p95(rss.peak) >= 150 MB"),
      (.percentile(99.9), .equal, "p99.9(rss.peak) == 150 MB"),
      (.mean, .atMost, "mean(rss.peak) <= 150 MB"), (.min, .atMost, "min(rss.peak) <= 150 MB"),
    ] as [(Budget.Statistic, Budget.Comparison, String)])
  func `a budget is described as it is written`(
    statistic: Budget.Statistic, comparison: Budget.Comparison, text: String
  ) {
    let budget = Budget(
      metric: "rss.peak", statistic: statistic, comparison: comparison,
      limit: Quantity(150, .megabytes))
    #expect("\(budget)" == text)
  }

  @Test(
    arguments: [
      (.completed, "completed"), (.crashed(signal: 11), "crashed (SIGSEGV)"),
      (.crashed(signal: 64), "crashed (SIGRTMIN+30)"), (.timedOut, "timed out"),
      (.jetsam, "killed at the memory limit"), (.failed("no covers"), "failed: no covers"),
      (.interrupted, "interrupted"),
    ] as [(Launch.Status, String)])
  func `a launch status is described in words`(status: Launch.Status, text: String) {
    #expect("\(status)" == text)
  }

  @Test func `metric values come from measured launches that completed`() {
    let run = SampleRuns.run(launches: 4, warmup: 2, samples: 0, statuses: [3: .jetsam])
    #expect(run.measured.map(\.index) == [2, 4, 5])
    #expect(run.values(of: "wall") == [2, 4, 5].compactMap { run.launches[$0].metrics["wall"] })
    #expect(run.values(of: "none").isEmpty)
  }

  @Test func `the crash rate counts launches that crashed or were killed at their limit`() {
    let run = SampleRuns.run(
      launches: 5, warmup: 1, samples: 0, fling: 0,
      statuses: [
        0: .jetsam, 1: .jetsam, 2: .crashed(signal: 6), 3: .timedOut, 4: .interrupted,
      ])
    // The warm-up and the interrupted launch do not count.
    #expect(run.values(of: "crash.rate") == [1, 1, 0, 0])
  }

  @Test func `the margin of a metric overrides the margin of the gate`() {
    let policy = Scenario.GatePolicy(
      margin: .init(relative: 0.02),
      metrics: ["rss.peak": .init(relative: 0.03), "wall": nil])
    #expect(policy.margin(of: "rss.peak") == .init(relative: 0.03))
    #expect(policy.margin(of: "wall") == .init(relative: 0.02))
    #expect(policy.margin(of: "cpu.total") == .init(relative: 0.02))
  }

  @Test func `a warning without a remedy is described by its message`() {
    #expect(
      "\(RunWarning(code: "a.b", message: "Too few", remedy: "Take more."))"
        == "Too few. Take more.")
    #expect("\(RunWarning(code: "a.b", message: "Too few"))" == "Too few")
  }

  @Test(arguments: [
    (9, "SIGKILL"), (24, "SIGXCPU"), (25, "SIGXFSZ"), (27, "SIGPROF"), (31, "SIGSYS"),
    (33, "signal 33"), (34, "SIGRTMIN"), (36, "SIGRTMIN+2"), (64, "SIGRTMIN+30"), (0, "signal 0"),
  ])
  func `a signal has its name of signal(7)`(number: Int32, name: String) {
    #expect(Launch.Status.signalName(number) == name)
  }
}
