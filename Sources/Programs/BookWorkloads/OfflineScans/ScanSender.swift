internal import CoverCache
internal import Dispatch

/// How scans are sent.
enum ScanSending: String, CaseIterable {
  /// Each when it is made; after a failure again after 1, 2 and 4 s, and then no more.
  case atOnce = "at-once"
  /// From a folder where they wait for the network.
  case queued
}

/// Sends scans, each as soon as it is made or from an outbox.
final class ScanSender: Sendable {
  private let server: ScanServer
  private let clock: LoadClock
  private let outbox: Outbox?
  private let queue = DispatchQueue(label: "scans", qos: .utility)
  private let retry = RetryPolicy()
  private let underWay = DispatchGroup()

  /// Creates a sender.
  ///
  /// - Parameters:
  ///   - server: Where scans go.
  ///   - clock: What retries wait by.
  ///   - outbox: Where scans wait; nil for nowhere.
  init(to server: ScanServer, clock: LoadClock, outbox: Outbox?) {
    self.server = server
    self.clock = clock
    self.outbox = outbox
  }

  /// Sends a scan, or keeps it until it can be sent; returns at once.
  ///
  /// - Throws: What the outbox says.
  func send(_ scan: [UInt8], name: String) throws(CoverError) {
    if let outbox {
      try outbox.add(scan, name: name)
      sendWaiting()
    } else {
      underWay.enter()
      attempt(name, number: 1)
    }
  }

  /// Sends what waits: after a scan, and when the system says that there is a network again.
  func sendWaiting() {
    guard let outbox else { return }
    queue.async(group: underWay) { [server] in
      // What cannot be sent waits for the next time.
      _ = try? outbox.flush { items throws(CoverError) in try server.receive(items.map(\.name)) }
    }
  }

  /// Waits until everything that can be sent now is sent, and everything else has failed.
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
