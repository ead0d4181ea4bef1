internal import CoverCache
internal import Foundation
internal import Glibc
internal import Synchronization

/// A server that streams the events of a scan over pairs of local sockets, and loses connections.
///
/// An event exists from its own session time on, so that a client that was away receives the missed
/// events at once.
final class StreamServer: Sendable {
  /// The end of a connection before the last event.
  enum Fault: Hashable {
    /// The connection is closed in the middle of an event.
    case closes(afterEvents: Int)
    /// The connection stays open and silent.
    case stalls(afterEvents: Int)

    /// Returns faults that take turns; the first one closes its connection.
    static func faults(_ count: Int, events: Int, seed: UInt64) -> [Fault] {
      var random = SplitMix64(seed: seed, stream: 11)
      let share = max(1, events / (count + 1))
      return (0..<count).map { number in
        let after = random.of(max(1, share / 2)...share)
        return number.isMultiple(of: 2) ? .closes(afterEvents: after) : .stalls(afterEvents: after)
      }
    }
  }

  private struct State {
    var connections = 0
    /// The refusals that are left after each fault.
    var refusals: [Int]
  }

  /// The number of events of the scan, the last one included.
  let count: Int
  private let times: [Duration]
  private let heartbeat: Duration
  private let faults: [Fault]
  private let clock: LoadClock
  private let began: Duration
  private let state: Mutex<State>
  private let threads = BackgroundThreads()

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - times: The session times of the events, from the beginning and ascending.
  ///   - heartbeat: The session time without an event after which a comment is sent.
  ///   - faults: The faults of the first connections.
  ///   - refusals: The numbers of refused attempts after the faults.
  ///   - clock: The session's clock.
  init(
    times: [Duration], heartbeat: Duration, faults: [Fault], refusals: [Int], clock: LoadClock
  ) {
    (self.times, self.heartbeat, self.faults, self.clock) = (times, heartbeat, faults, clock)
    count = times.count
    began = clock.now()
    state = Mutex(State(refusals: refusals))
  }

  /// The number of attempts to connect that were accepted.
  var connections: Int { state.withLock { $0.connections } }

  /// Opens a connection whose first event follows an identifier.
  ///
  /// - Parameter last: The identifier of the last known event; nil streams from the first event.
  /// - Returns: The client's socket, which the client closes.
  /// - Throws: `CoverError.unreachable` if the attempt is refused.
  func connect(after last: Int?) throws(CoverError) -> Int32 {
    let number: Int? = state.withLock { state in
      let fault = state.connections - 1
      if state.refusals.indices.contains(fault), state.refusals[fault] > 0 {
        state.refusals[fault] -= 1
        return nil
      }
      state.connections += 1
      return state.connections - 1
    }
    var ends: [Int32] = [0, 0]
    guard let number, socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      throw .unreachable(cover: "stream")
    }
    let server = ends[1]
    threads.start("stream", nice: 0) { [self] in
      serve(server, from: last.map { $0 + 1 } ?? 0, number < faults.count ? faults[number] : nil)
      close(server)
    }
    return ends[0]
  }

  /// Waits until all connections have ended.
  func wait() { threads.wait() }

  private func serve(_ socket: Int32, from first: Int, _ fault: Fault?) {
    var sent = 0
    for index in first..<max(first, count) {
      guard waitForEvent(index, socket) else { return }
      let event = bytes(of: index)
      switch fault {
      case .closes(let limit) where sent == limit:
        _ = send(event.prefix(event.count / 2), to: socket)
        return
      case .stalls(let limit) where sent == limit:
        waitForClient(socket)
        return
      default: break
      }
      guard send(event[...], to: socket) else { return }
      sent += 1
    }
  }

  /// Waits until an event exists, and sends heartbeats meanwhile; returns whether the client is there.
  private func waitForEvent(_ index: Int, _ socket: Int32) -> Bool {
    while true {
      let left = began + times[index] - clock.now()
      guard left > .zero else { return true }
      clock.sleep(min(left, heartbeat))
      if left > heartbeat, !send(Array(": heartbeat\n\n".utf8)[...], to: socket) { return false }
    }
  }

  private func waitForClient(_ socket: Int32) {
    var byte: UInt8 = 0
    while recv(socket, &byte, 1, 0) < 0, errno == EINTR {}
  }

  private func bytes(of index: Int) -> [UInt8] {
    let type = index == count - 1 ? "complete" : index.isMultiple(of: 5) ? "progress" : "result"
    let cover = BookGenerator.coverName(of: index)
    return Array("id: \(index)\nevent: \(type)\ndata: {\"cover\": \"\(cover)\"}\n\n".utf8)
  }

  private func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      rest = rest.dropFirst(written)
    }
    return true
  }
}
