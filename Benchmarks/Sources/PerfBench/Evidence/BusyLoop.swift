internal import Foundation
internal import Synchronization

/// A thread that keeps one core busy beside the measured programs, until it is stopped.
final class BusyLoop: Sendable {
  private let isOver = Atomic(false)

  /// Starts the thread.
  init() {
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .relaxed) {}
    }
  }

  /// Ends the thread.
  func stop() { isOver.store(true, ordering: .relaxed) }
}
