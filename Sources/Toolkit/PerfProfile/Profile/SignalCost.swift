internal import CLinux
internal import Glibc

/// What a signal costs the thread that gets it, in nanoseconds of its CPU time.
public struct SignalCost: Hashable, Sendable {
  /// The median of the signals that were measured.
  public let median: Double
  /// Where the middle half of them lies.
  public let middleHalf: ClosedRange<Double>

  /// Why it could not be measured.
  public enum Obstacle: Error, Hashable, Sendable, CustomStringConvertible {
    /// The machine had so much else to do that too few signals came through.
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

  /// Measures it here and now, on a thread that works and has a handler that does nothing.
  ///
  /// Most of it is the way into the kernel and back, which on a virtual machine may take ten times what
  /// our handler does. It is measured by the CPU clock of the thread, so that it can be told of a busy
  /// machine, too; there the change to the sender and back is in it as far as the thread is charged with
  /// it. What its caches lose is not in it.
  ///
  /// - Throws: Why it cannot be told.
  /// - Complexity: 20 ms; 40 ms on a busy machine, and 0.2 s at most.
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
