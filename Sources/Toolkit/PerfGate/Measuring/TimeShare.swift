/// The part of `--max-time` for one of several measurements.
public struct TimeShare {
  /// The length of the share; nil without a limit.
  let time: Duration?

  /// Divides the remaining time evenly.
  ///
  /// - Parameters:
  ///   - measuring: The measurement with the limit and its clock.
  ///   - count: The number of measurements that are left, this one included.
  public init(of measuring: Measuring, among count: Int) {
    time = measuring.timeLeft.map { $0 / max(count, 1) }
  }
}
