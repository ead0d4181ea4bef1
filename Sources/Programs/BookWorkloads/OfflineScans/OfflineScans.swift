internal import CoverCache
internal import PerfWorkload

/// Scans shelves while the network is away for a while, and stops the camera when nobody scans.
///
/// Time goes faster than the machine's, so that waits of half a minute cost a second.
struct OfflineScans: Workload {
  static let name = "book.scans"
  static let summary = "Sends scans of shelves while the network is away for a while."
  static let parameters: [ParameterDeclaration] = [
    .int("scans", default: 40, in: 1...1_000, "Scans that are made."),
    .double("interval", default: 2, in: 0.01...600, "Seconds from one scan to the next."),
    .double("away_from", default: 20, in: 0...3_600, "When the network goes, in seconds."),
    .double("away_for", default: 40, in: 0...3_600, "How long it is away, in seconds."),
    .int("latency", default: 120, in: 1...10_000, "Latency of a request, in milliseconds."),
    .choice("sending", default: ScanSending.queued, "How scans are sent."),
    .int("batch", default: 10, in: 1...1_000, "Scans that are sent in one request, at most."),
    .double("idle", default: 30, in: 0.1...3_600, "Seconds without a scan that stop the camera."),
    .double("speed", default: 40, in: 1...1_000, "Seconds of the session in one of the machine."),
  ]
  static let counters = [
    CounterDeclaration(
      "scans.lost", unit: .count, direction: .lower,
      "Scans that neither came to the server nor wait to be sent."),
    CounterDeclaration(
      "scans.waiting", unit: .count, direction: .lower, "Scans that wait to be sent at the end."),
    CounterDeclaration(
      "scans.repeated", unit: .count, direction: .lower,
      "Scans that came to the server although they had come already."),
    CounterDeclaration(
      "scans.requests", unit: .count, direction: .lower,
      "Requests to the server, those included that failed."),
    CounterDeclaration(
      "scans.catch_up_time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Time of the session from the network's return until what was made before had come."),
    CounterDeclaration(
      "camera.rest_time", unit: .nanoseconds, direction: .neutral, scale: .ratio,
      "Time of the session from the last scan until the camera was stopped."),
  ]

  /// How often the camera asks whether it should rest.
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
    scans = try parameters.int("scans")
    interval = .seconds(try parameters.double("interval"))
    let goes = Duration.seconds(try parameters.double("away_from"))
    away = goes..<goes + .seconds(try parameters.double("away_for"))
    latency = .milliseconds(try parameters.int("latency"))
    idle = .seconds(try parameters.double("idle"))
    clock = .scaled(by: try parameters.double("speed"))
    let batch = try parameters.int("batch")
    outbox =
      switch try parameters.choice("sending", as: ScanSending.self) {
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
    // What could not be sent until now is tried once more before the app rests as well.
    sender.sendWaiting()
    sender.wait()
    report(server, made: made, returned: began + away.upperBound, to: context)
  }

  /// Waits until a time of the session, and returns what time it is then.
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
