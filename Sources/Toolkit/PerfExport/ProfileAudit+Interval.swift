internal import PerfModel

extension ProfileAudit {
  /// The requested sampling interval in nanoseconds; nil when the rate is impossible.
  ///
  /// An imported store may contain any rate.
  var interval: UInt64? {
    let nanoseconds = 1e9 / rateAsked
    // From one nanosecond to 1,000 seconds.
    return (1...1e12).contains(nanoseconds) ? UInt64(nanoseconds) : nil
  }
}
