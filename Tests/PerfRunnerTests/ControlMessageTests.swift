import Foundation
import PerfModel
import Testing

@testable import PerfRunner

struct ControlMessageTests {
  private func message(_ text: String) -> WorkerMessage? {
    WorkerMessage(line: Data(text.utf8))
  }

  @Test func `a hello describes workloads, parameters and counters`() throws {
    let line = """
      {"type":"hello","protocol":1,"suite":"S","build":{"configuration":"release","compiler":"6.3"},
      "workloads":[{"name":"w","summary":"does","starts_at_launch":true,
      "parameters":[{"name":"n","type":"int","default":3,"summary":"how many","minimum":1}],
      "counters":[{"name":"c","unit":"ratio","direction":"higher","scale":"difference"}]}]}
      """
    guard case .hello(1, let description) = message(line) else {
      Issue.record("no hello")
      return
    }
    let workload = try #require(description.workload(named: "w"))
    #expect(workload.startsAtLaunch)
    #expect(
      workload.parameters == [
        .init(name: "n", kind: .int, defaultValue: .int(3), summary: "how many", minimum: 1)
      ])
    #expect(workload.counters.map(\.name) == ["c"])
    #expect(workload.counters.first?.dimension == .ratio)
    #expect(description.compiler == "6.3")
  }

  @Test func `a hello of another version is read as far as the version`() {
    guard case .hello(2, _) = message(#"{"type":"hello","protocol":2,"new":"shape"}"#) else {
      Issue.record("no hello")
      return
    }
  }

  @Test(arguments: [
    "", "garbage", "{}", #"{"type":"unheard-of"}"#, #"{"type":"hello"}"#, "[1,2]",
    #"{"type":"progress","done":1}"#,
    #"{"type":"hello","protocol":1,"suite":"S","workloads":[{"name":"w","counters":[{"name":"c","unit":"furlong","direction":"lower"}]}]}"#,
  ])
  func `a line that is no message is nil`(text: String) {
    #expect(message(text) == nil)
  }

  @Test func `done carries both readings and the counters`() {
    let line = """
      {"type":"done","began":{"wall":1,"cpu":2,"user":1,"system":1},
      "ended":{"wall":11,"cpu":12,"user":8,"system":4},"counters":{"cache.hits":7}}
      """
    guard case .done(let completion) = message(line) else {
      Issue.record("no done")
      return
    }
    #expect(completion.usage?.began.wall == 1)
    #expect(completion.usage?.ended.user == 8)
    #expect(completion.counters == ["cache.hits": 7])
  }

  @Test func `orders are one line of sorted keys`() throws {
    let order = HarnessMessage.WorkOrder(
      workload: "w", parameters: ["b": .bool(true), "n": .int(3)], seed: 7, cache: "/c")
    let line = try HarnessMessage.prepare(order, iteration: 2, scratch: "/s").line()
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"cache":"/c","iteration":2,"parameters":{"b":true,"n":3},"scratch":"/s","seed":7,"#
        + #""type":"prepare","workload":"w"}"# + "\n")
  }
}
