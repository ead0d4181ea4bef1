internal import CLinux
internal import Glibc

/// The CPU time that a signal costs its thread, in nanoseconds.
public struct SignalCost: Hashable, Sendable {
  /// The median of the measured signals.
  public let median: Double
  /// The range of the middle half of the measured signals.
  public let middleHalf: ClosedRange<Double>

  /// Why the cost cannot be measured.
  public enum Obstacle: Error, Hashable, Sendable, CustomStringConvertible {
    /// The machine was so busy that too few signals arrived.
    case busy
    /// This process handles SIGRTMAX itself.
    case signalInUse
    /// No thread could be started.
    case noThread

    /// The reason, as the end of a sentence.
    public var description: String {
      switch self {
      case .busy: "the machine was too busy"
      case .signalInUse: "SIGRTMAX is in use"
      case .noThread: "no thread could be started"
      }
    }
  }

  /// Creates a cost.
  public init(median: Double, middleHalf: ClosedRange<Double>) {
    self.median = median
    self.middleHalf = middleHalf
  }

  /// Measures the cost on a busy thread with an empty handler.
  ///
  /// Most of the cost is the way into the kernel and back, which can take ten times as long as the
  /// agent's handler on a virtual machine. The thread's CPU clock measures it, so a busy machine
  /// does not change the result much; a switch to the sender and back counts as far as the kernel
  /// charges it to the thread. Lost cache contents do not count.
  ///
  /// - Throws: Why the cost cannot be measured.
  /// - Complexity: 20 ms; 40 ms on a busy machine, at most 0.2 s.
  public static func measure() throws(Obstacle) -> SignalCost {
    var cost = clinux_signal_cost()
    switch -clinux_signal_cost(&cost) {
    case 0: break
    case EBUSY: throw .signalInUse
    case EAGAIN: throw .noThread
    default: throw .busy
    }
    return SignalCost(
      median: Double(cost.median), middleHalf: Double(cost.low)...Double(cost.high))
  }
}
