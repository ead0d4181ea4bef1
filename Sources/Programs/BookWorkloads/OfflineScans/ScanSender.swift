internal import CoverCache
internal import Dispatch

/// The method of sending scans.
enum ScanSending: String, CaseIterable {
  /// Each scan is sent immediately and retried after 1, 2 and 4 s.
  case atOnce = "at-once"
  /// Scans are sent from a folder in which they wait for the network.
  case queued
}

/// Sends scans immediately or from an outbox.
final class ScanSender: Sendable {
  private let server: ScanServer
  private let clock: LoadClock
  private let outbox: Outbox?
  private let queue = DispatchQueue(label: "scans", qos: .utility)
  private let retry = RetryPolicy()
  private let underWay = DispatchGroup()

  /// Creates a sender; without an outbox it sends each scan immediately.
  init(to server: ScanServer, clock: LoadClock, outbox: Outbox?) {
    self.server = server
    self.clock = clock
    self.outbox = outbox
  }

  /// Sends a scan or keeps it until it can be sent; returns immediately.
  func send(_ scan: [UInt8], name: String) throws(CoverError) {
    if let outbox {
      try outbox.add(scan, name: name)
      sendWaiting()
    } else {
      underWay.enter()
      attempt(name, number: 1)
    }
  }

  /// Sends the waiting scans, after a new scan or when the network is available again.
  func sendWaiting() {
    guard let outbox else { return }
    queue.async(group: underWay) { [server] in
      // Scans that cannot be sent stay in the outbox.
      _ = try? outbox.flush { items throws(CoverError) in try server.receive(items.map(\.name)) }
    }
  }

  /// Waits until all attempts have succeeded or failed.
  func wait() { underWay.wait() }

  private func attempt(_ name: String, number: Int) {
    DispatchQueue.global(qos: .utility).async { [self] in
      do throws(CoverError) {
        try server.receive([name])
      } catch {
        if let delay = retry.delay(afterAttempts: number, error: error, key: name) {
          clock.call(delay) { self.attempt(name, number: number + 1) }
          return
        }
      }
      underWay.leave()
    }
  }
}
