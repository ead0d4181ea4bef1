internal import CoverCache
internal import PerfWorkload

/// Scans shelves while the network is offline for a while, and stops an idle camera.
///
/// The session's clock runs faster than the machine's, so that half a minute takes a second.
struct OfflineScans: Workload {
  static let name = "book.scans"
  static let summary = "Sends scans of shelves while the network is offline for a while."
  static let scans = Parameter("scans", default: 40, in: 1...1_000, "Scans to make.")
  static let interval = Parameter(
    "interval", default: 2.0, in: 0.01...600, "Seconds between two scans.")
  static let awayFrom = Parameter(
    "away_from", default: 20.0, in: 0...3_600, "Seconds until the network goes offline.")
  static let awayFor = Parameter(
    "away_for", default: 40.0, in: 0...3_600, "Seconds that the network is offline.")
  static let latency = Parameter(
    "latency", default: 120, in: 1...10_000, "Latency of a request, in milliseconds.")
  static let sending = Parameter("sending", default: ScanSending.queued, "Method of sending scans.")
  static let batch = Parameter("batch", default: 10, in: 1...1_000, "Limit of scans per request.")
  static let idle = Parameter(
    "idle", default: 30.0, in: 0.1...3_600, "Seconds without a scan after which the camera stops.")
  static let speed = Parameter(
    "speed", default: 40.0, in: 1...1_000, "Seconds on the session's clock per second.")
  static let parameters: [any WorkloadParameter] = [
    scans, interval, awayFrom, awayFor, latency, sending, batch, idle, speed,
  ]
  static let counters: [CounterDeclaration] = [
    .count("scans.lost", .lower, "Scans that were neither received nor kept for sending."),
    .count("scans.waiting", .lower, "Scans that are still waiting at the end."),
    .count("scans.repeated", .lower, "Scans that the server received more than once."),
    .count("scans.requests", .lower, "Requests to the server, including failed ones."),
    .time(
      "scans.catch_up_time", .lower, scale: .ratio,
      "Session time from the network's return until all earlier scans were received."),
    .time(
      "camera.rest_time", .neutral, scale: .ratio,
      "Session time from the last scan until the camera stopped."),
  ]

  /// The interval at which the camera checks whether it is idle.
  private static let poll = Duration.milliseconds(100)

  private let scans: Int
  private let interval: Duration
  private let away: Range<Duration>
  private let latency: Duration
  private let idle: Duration
  private let clock: LoadClock
  private let outbox: Outbox?

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    scans = parameters[Self.scans]
    interval = .seconds(parameters[Self.interval])
    let goes = Duration.seconds(parameters[Self.awayFrom])
    away = goes..<goes + .seconds(parameters[Self.awayFor])
    latency = .milliseconds(parameters[Self.latency])
    idle = .seconds(parameters[Self.idle])
    clock = .scaled(by: parameters[Self.speed])
    let batch = parameters[Self.batch]
    outbox =
      switch parameters[Self.sending] {
      case .atOnce: nil
      case .queued: try Outbox(directory: "\(context.scratchDirectory)/outbox", batch: batch)
      }
  }

  func measure(_ context: MeasurementContext) throws {
    let began = clock.now()
    let server = ScanServer(
      latency: latency, away: began + away.lowerBound..<began + away.upperBound, clock: clock)
    let sender = ScanSender(to: server, clock: clock, outbox: outbox)
    clock.call(away.upperBound) { sender.sendWaiting() }
    var made: [String: Duration] = [:]
    var pause = IdlePause(usedAt: began, limit: idle)
    for number in 0..<scans {
      let now = wait(until: began + interval * number)
      let name = BookGenerator.coverName(of: number)
      made[name] = now
      pause.use(at: now)
      try sender.send(Array(repeating: UInt8(truncatingIfNeeded: number), count: 4096), name: name)
    }
    while !pause.isDue(at: clock.now()) { clock.sleep(Self.poll) }
    context.report("camera.rest_time", (clock.now() - pause.lastUse).nanoseconds)
    // Waiting scans are tried once more before the app becomes idle.
    sender.sendWaiting()
    sender.wait()
    report(server, made: made, returned: began + away.upperBound, to: context)
  }

  /// Waits until a session time and returns the current session time.
  private func wait(until time: Duration) -> Duration {
    let now = clock.now()
    guard now < time else { return now }
    clock.sleep(time - now)
    return clock.now()
  }

  private func report(
    _ server: ScanServer, made: [String: Duration], returned: Duration,
    to context: MeasurementContext
  ) {
    let arrivals = server.arrivals
    let waiting = outbox?.count ?? 0
    context.report("scans.lost", made.count - arrivals.count - waiting)
    context.report("scans.waiting", waiting)
    context.report("scans.repeated", server.repeatedCount)
    context.report("scans.requests", server.requestCount)
    let late = arrivals.filter { made[$0.key].map { $0 < returned } ?? false }.values.max()
    context.report("scans.catch_up_time", max(.zero, (late ?? returned) - returned).nanoseconds)
  }
}
