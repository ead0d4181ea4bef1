internal import CoverCache
internal import Glibc

/// The reaction of a client to a connection that ends before the last event.
enum Reconnecting: String, CaseIterable {
  /// The stream ends.
  case never
  /// A new connection streams all events again.
  case restart
  /// A new connection continues after the last received event.
  case resume
}

/// Receives the events of a scan, over several connections if necessary.
struct StreamClient {
  /// The events of a session.
  struct Received {
    /// The number of times that each event was received, by its number.
    var counts: [Int: Int] = [:]
    /// The longest session time between two events.
    var longestGap = Duration.zero
    /// The session times from the end of a connection to the next event.
    var recoveries: [Duration] = []
  }

  private let server: StreamServer
  private let reconnecting: Reconnecting
  /// The session time without a byte after which a connection counts as dead.
  private let silence: Duration
  /// The session time after which a connection is replaced.
  private let longest: Duration
  private let clock: LoadClock
  private let speed: Double

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - reconnecting: The reaction to a connection that ends early.
  ///   - silence: The session time without a byte after which a connection counts as dead.
  ///   - longest: The session time after which a connection is replaced.
  ///   - clock: The session's clock.
  ///   - speed: Seconds on that clock per second.
  init(
    to server: StreamServer, _ reconnecting: Reconnecting, silence: Duration, longest: Duration,
    clock: LoadClock, speed: Double
  ) {
    (self.server, self.reconnecting, self.clock) = (server, reconnecting, clock)
    (self.silence, self.longest, self.speed) = (silence, longest, speed)
  }

  /// Receives events until the last one, or until the stream is given up.
  func receive() -> Received {
    var result = Received()
    let retry = RetryPolicy()
    let broken = CoverError.unreachable(cover: "stream")
    var latest = clock.now()
    var (last, attempts): (Int?, Int) = (nil, 0)
    var lost: Duration?
    while true {
      let socket: Int32
      do throws(CoverError) {
        socket = try server.connect(after: reconnecting == .resume ? last : nil)
      } catch {
        attempts += 1
        guard reconnecting != .never,
          let delay = retry.delay(afterAttempts: attempts, error: error, key: "stream")
        else { return result }
        clock.sleep(delay)
        continue
      }
      let isComplete = read(socket) { event, now in
        result.longestGap = max(result.longestGap, now - latest)
        latest = now
        if let begin = lost { result.recoveries.append(now - begin) }
        (lost, attempts) = (nil, 0)
        last = event
        result.counts[event, default: 0] += 1
      }
      close(socket)
      if isComplete || reconnecting == .never { return result }
      lost = clock.now()
      attempts += 1
      guard let delay = retry.delay(afterAttempts: attempts, error: broken, key: "stream") else {
        return result
      }
      clock.sleep(delay)
    }
  }

  /// Reads a connection to its end; returns whether the last event was received.
  private func read(_ socket: Int32, _ receive: (Int, Duration) -> Void) -> Bool {
    var parser = EventStreamParser()
    var buffer = [UInt8](repeating: 0, count: 4096)
    let end = clock.now() + longest
    while true {
      let left = min(silence, end - clock.now())
      guard left > .zero, isReadable(socket, within: left) else { return false }
      let count = recv(socket, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0, let events = parser.events(in: buffer[..<count]) else { return false }
      let now = clock.now()
      for event in events {
        guard let number = Int(event.id) else { continue }
        receive(number, now)
        if event.type == "complete" { return true }
      }
    }
  }

  /// Waits for bytes or the end of the connection; returns false after the session time.
  private func isReadable(_ socket: Int32, within time: Duration) -> Bool {
    let end = clock.now() + time
    while true {
      let left = max(.zero, end - clock.now()) / speed
      var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      // One millisecond more, since poll rounds down.
      let ready = poll(&descriptor, 1, Int32(left.nanoseconds / 1_000_000) + 1)
      if ready > 0 { return true }
      if ready == 0 || errno != EINTR { return false }
    }
  }
}
