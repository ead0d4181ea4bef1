internal import CLinux

/// What a signal costs the thread that gets it.
public enum SignalCost {
  /// Measures it here and now, on a thread that works and has a handler that does nothing.
  ///
  /// Most of it is the way into the kernel and back, which on a virtual machine may take ten times what
  /// our handler does. What the thread's caches lose is not in it.
  ///
  /// - Returns: The median of up to 50 signals, in nanoseconds; nil when every CPU was too busy to
  ///   tell.
  /// - Complexity: 20 ms, and 40 ms at most.
  public static func measure() -> Double? {
    let cost = clinux_signal_cost()
    return cost > 0 ? Double(cost) : nil
  }
}
