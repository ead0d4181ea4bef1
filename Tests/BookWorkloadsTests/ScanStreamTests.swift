import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

struct EventStreamParserTests {
  /// Parses pieces and returns the events.
  private func events(_ pieces: [String]) -> [EventStreamParser.Event] {
    var parser = EventStreamParser()
    return pieces.flatMap { parser.events(in: $0.utf8) ?? [] }
  }

  private static let stream =
    ": welcome\n\nid: 7\nevent: result\ndata: first\ndata:second\n\ndata: third\n\n"

  // The specification: a space after the colon is removed, data lines are joined, and the identifier
  // stays until the next one.
  private static let expected = [
    EventStreamParser.Event(id: "7", type: "result", data: "first\nsecond"),
    EventStreamParser.Event(id: "7", type: "message", data: "third"),
  ]

  @Test func `events are parsed as the specification says`() {
    #expect(events([Self.stream]) == Self.expected)
  }

  @Test(arguments: ["\r\n", "\r"])
  func `lines end with any of the three line ends`(end: String) {
    #expect(events([Self.stream.replacing("\n", with: end)]) == Self.expected)
  }

  @Test func `pieces of one byte give the same events`() {
    let bytes = Self.stream.replacing("\n", with: "\r\n").unicodeScalars.map { String($0) }
    #expect(events(bytes) == Self.expected)
  }

  @Test func `an event that is cut off is not returned`() {
    #expect(events([String(Self.stream.dropLast(1))]) == Array(Self.expected.prefix(1)))
  }

  @Test func `events without data and unknown fields are ignored`() {
    #expect(events(["event: ping\n\nretry: 5\nnonsense\n: comment\n\n"]).isEmpty)
  }

  @Test func `comments do not end or change an event`() {
    #expect(events([": a\n\n:data: b\n\n"]).isEmpty)
    #expect(events(["data: a\n: b\n:\ndata: c\n\n"]).map(\.data) == ["a\nc"])
  }

  @Test func `a line without an end is refused`() {
    var parser = EventStreamParser()
    let line = repeatElement(UInt8(ascii: "x"), count: EventStreamParser.longestLine)
    let (complete, beyond) = (parser.events(in: line), parser.events(in: [UInt8(ascii: "x")]))
    #expect(complete == [])
    #expect(beyond == nil)
  }
}

struct ScanStreamTests {
  /// Runs a session of 40 events, whose clock is fast.
  private func counters(_ given: [String: ParameterValue]) throws -> [String: Double] {
    let short: [String: ParameterValue] = [
      "events": .int(40), "interval": .double(0.1), "pause": .double(0), "drops": .int(2),
      "speed": .double(200),
    ]
    let parameters = try ParameterValues(short.merging(given) { $1 }, of: ScanStream.parameters)
    return try WorkloadRun(ScanStream.self, parameters, in: try TemporaryFolder()).counters
  }

  @Test func `without reconnecting the events after the first fault are lost`() throws {
    let counters = try counters(["reconnecting": .string("never")])
    // The first of two faults is after 6 to 13 of 40 events.
    #expect((27...34).contains(counters["stream.lost"] ?? 0))
    #expect(counters["stream.connections"] == 1)
    #expect(counters["stream.recovery_time"] == nil)
  }

  @Test func `resumed connections lose and repeat nothing`() throws {
    let counters = try counters(["reconnecting": .string("resume")])
    #expect(counters["stream.lost"] == 0)
    #expect(counters["stream.repeated"] == 0)
    // A slow machine may miss a heartbeat, but never ends with fewer connections.
    #expect((counters["stream.connections"] ?? 0) >= 3)
    // The first delay is one second.
    #expect((counters["stream.recovery_time"] ?? 0) >= 1e9)
  }

  @Test func `a restarted stream repeats the events before its faults`() throws {
    let counters = try counters(["reconnecting": .string("restart")])
    #expect(counters["stream.lost"] == 0)
    #expect((counters["stream.repeated"] ?? 0) >= 12)
  }

  @Test func `a silent connection is replaced after two heartbeats or its longest time`() throws {
    let watched = try counters(["heartbeat": .double(2)])["stream.longest_gap"] ?? 0
    #expect(watched >= 4e9)
    let unwatched = try counters(
      ["heartbeat": .double(2), "watched": .bool(false), "longest": .double(60)])
    #expect((unwatched["stream.longest_gap"] ?? 0) >= 30e9)
  }

  @Test func `a stream without faults has one connection`() throws {
    let counters = try counters(["drops": .int(0), "pause": .double(10)])
    #expect(counters["stream.connections"] == 1)
    #expect(counters["stream.lost"] == 0)
    #expect((counters["stream.longest_gap"] ?? 0) >= 10e9)
  }
}
