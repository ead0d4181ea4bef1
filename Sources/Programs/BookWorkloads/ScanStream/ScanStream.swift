internal import CoverCache
internal import PerfWorkload

/// Receives the results of a scan as server-sent events over connections that break.
///
/// The session's clock runs faster than the machine's, so that half a minute takes less than a second.
struct ScanStream: Workload {
  static let name = "book.stream"
  static let summary = "Receives the results of a scan over connections that break."
  static let events = Parameter("events", default: 200, in: 2...100_000, "Events of the scan.")
  static let interval = Parameter(
    "interval", default: 0.5, in: 0.001...60, "Seconds between two events.")
  static let pause = Parameter(
    "pause", default: 75.0, in: 0...3_600, "Seconds without an event in the middle of the scan.")
  static let drops = Parameter("drops", default: 4, in: 0...100, "Connections that break or stall.")
  static let refused = Parameter(
    "refused", default: 2, in: 0...3, "Most refused attempts after a broken connection.")
  static let heartbeat = Parameter(
    "heartbeat", default: 30.0, in: 0.1...3_600, "Seconds between two heartbeats of the server.")
  static let watched = Parameter(
    "watched", default: true,
    "Whether a connection without two heartbeats is replaced; otherwise only after its longest time."
  )
  static let longest = Parameter(
    "longest", default: 300.0, in: 1...3_600, "Longest time of a connection, in seconds.")
  static let reconnecting = Parameter(
    "reconnecting", default: Reconnecting.resume, "Reaction to a broken connection.")
  static let speed = Parameter(
    "speed", default: 100.0, in: 1...1_000, "Seconds on the session's clock per second.")
  static let parameters: [any WorkloadParameter] = [
    events, interval, pause, drops, refused, heartbeat, watched, longest, reconnecting, speed,
  ]
  static let counters: [CounterDeclaration] = [
    .count("stream.lost", .lower, isExact: true, "Events that were never received."),
    .count("stream.repeated", .lower, "Events that were received again."),
    .count("stream.connections", .neutral, "Accepted connections."),
    .time(
      "stream.longest_gap", .lower, scale: .ratio, "Longest session time between two events."),
    .time(
      "stream.recovery_time", .lower, scale: .ratio,
      "Mean session time from the end of a connection to the next event."),
  ]

  private let parameters: ParameterValues
  private let seed: UInt64

  init(_ context: PreparationContext) {
    parameters = context.parameters
    seed = context.seed
  }

  func measure(_ context: MeasurementContext) {
    let speed = parameters[Self.speed]
    let clock = LoadClock.scaled(by: speed)
    let heartbeat = Duration.seconds(parameters[Self.heartbeat])
    let longest = Duration.seconds(parameters[Self.longest])
    let drops = parameters[Self.drops]
    let count = parameters[Self.events]
    var random = SplitMix64(seed: seed, stream: 12)
    let server = StreamServer(
      times: times(count), heartbeat: heartbeat,
      faults: StreamServer.Fault.faults(drops, events: count, seed: seed),
      refusals: (0..<drops).map { _ in random.of(0...parameters[Self.refused]) }, clock: clock)
    let client = StreamClient(
      to: server, parameters[Self.reconnecting],
      silence: parameters[Self.watched] ? heartbeat * 2 : longest, longest: longest, clock: clock,
      speed: speed)
    let received = Phase.session.measure { client.receive() }
    server.wait()
    context.report("stream.lost", count - received.counts.count)
    context.report(
      "stream.repeated", received.counts.values.reduce(0, +) - received.counts.count)
    context.report("stream.connections", server.connections)
    context.report("stream.longest_gap", received.longestGap.nanoseconds)
    guard !received.recoveries.isEmpty else { return }
    let sum = received.recoveries.reduce(Duration.zero, +)
    context.report("stream.recovery_time", (sum / received.recoveries.count).nanoseconds)
  }

  /// Returns the session times of the events; the pause is before the middle one.
  private func times(_ count: Int) -> [Duration] {
    let interval = Duration.seconds(parameters[Self.interval])
    let pause = Duration.seconds(parameters[Self.pause])
    return (0..<count).map { interval * $0 + ($0 >= count / 2 ? pause : .zero) }
  }
}
