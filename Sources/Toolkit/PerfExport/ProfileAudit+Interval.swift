internal import PerfModel

extension ProfileAudit {
  /// Nanoseconds from one tick to the next as they were asked for; nil when the rate is none that a
  /// sampler can have, as a store may say that somebody sent.
  var interval: UInt64? {
    let nanoseconds = 1e9 / rateAsked
    // Up to a quarter of an hour.
    return (1...1e12).contains(nanoseconds) ? UInt64(nanoseconds) : nil
  }
}
