internal import PerfModel

extension AuditTally {
  /// Returns the warnings about time and CPU that the sampler used beyond its bounds.
  func costWarnings(_ audit: ProfileAudit) -> [RunWarning] {
    var warn = SamplerWarnings()
    let late = Double(audit.ticksLate) / Double(max(audit.ticks, 1))
    if audit.ticks >= SamplerBounds.enough, late > SamplerBounds.ticksLate {
      warn(
        "late", "\(percent(late)) of the ticks were more than half an interval late",
        "Leave a CPU free for the sampler or choose a lower rate.")
    }
    // A longer copy takes longer.
    let factor = max(
      1, Double(stackBytes) / Double(CaptureConfiguration.defaultStackBytes))
    if plainHandlers.count >= SamplerBounds.enough,
      let (p50, p99) = Self.percentiles(plainHandlers),
      p50 > factor * SamplerBounds.handlerP50 || p99 > factor * SamplerBounds.handlerP99
    {
      warn(
        "handler_slow",
        "the signal handler took \(NumberFormat.human(p50, .time)) or more in half of the samples and "
          + "\(NumberFormat.human(p99, .time)) or more in 1 of 100",
        "Another program competes for the CPU, or stacks are deep: copy less of them with "
          + "--stack-size.")
    }
    let ticker = audit.seconds > 0 ? Double(audit.tickerCPU) / 1e9 / audit.seconds : 0
    if audit.ticks >= SamplerBounds.enough,
      ticker > SamplerBounds.ticker(atRate: audit.rateAsked)
    {
      warn(
        "ticker", "the sampler's thread used \(percent(ticker)) of a CPU",
        "Choose a lower rate: the thread's work grows with the rate and the number of threads.")
    }
    if audit.samples >= SamplerBounds.enough, let overhead = audit.overhead,
      overhead > SamplerBounds.overhead(atRate: audit.rateAsked)
    {
      warn(
        "overhead", "sampling added about \(percent(overhead)) to the CPU time of the threads",
        "Choose a lower rate, and compare only runs that were sampled at the same rate.")
    }
    return warn.all
  }

  private func percent(_ share: Double) -> String { NumberFormat.human(share, .ratio) }
}
