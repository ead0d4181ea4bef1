import Testing

@testable import PerfProtocol

struct HarnessMessageTests {
  private static let order = HarnessMessage.WorkOrder(
    workload: "w", parameters: ["b": .bool(true), "n": .int(3), "s": .string("x")], seed: 7,
    cache: "/c")

  @Test(
    arguments: [
      .setup(order), .prepare(order, launch: 2, scratch: "/s"), .measure, .quit,
      .pressure(
        HarnessMessage.MemoryPressure(
          level: .urgent, fraction: 0.75, budget: 4, footprint: 2, ballast: 1)),
    ] as [HarnessMessage])
  func `a message equals itself after encoding and decoding`(message: HarnessMessage) throws {
    #expect(try HarnessMessage(line: message.line()) == message)
  }

  @Test func `an order is one line with sorted keys`() throws {
    let line = try HarnessMessage.prepare(Self.order, launch: 2, scratch: "/s").line()
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"cache":"/c","iteration":2,"parameters":{"b":true,"n":3,"s":"x"},"#
        + #""scratch":"/s","seed":7,"type":"prepare","workload":"w"}"#)
  }

  @Test func `pressure needs only a level and a fraction`() throws {
    let line = #"{"type":"pressure","level":"normal","fraction":0,"unknown":"key"}"#
    #expect(
      try HarnessMessage(line: Array(line.utf8))
        == .pressure(HarnessMessage.MemoryPressure(level: .normal, fraction: 0)))
  }

  @Test(arguments: [
    ("x", "not a JSON object"), (#"{"type":"setup"}"#, "'workload' is missing"),
    (#"{"type":"greeting"}"#, "'type' has an unknown value"),
    (#"{"type":"pressure","level":"grave","fraction":1}"#, "'level' has an unknown value"),
  ])
  func `an error names the key that is wrong`(line: String, reason: String) throws {
    let error = try #require(throws: MalformedMessage.self) {
      try HarnessMessage(line: Array(line.utf8))
    }
    #expect(error.reason.contains(reason))
    #expect(error.description.contains(line))
  }
}
