extension CacheMetrics {
  /// Returns the counters and content size of a tier as three lines for a debug menu.
  ///
  ///     Hit ratio: 94.14 % of 1988 look-ups
  ///     Memory usage: 9.4 MiB of 9.5 MiB
  ///     Objects: 41 of 200, 1909 evicted
  ///
  /// - Parameter limits: The tier's limits. An absent limit is omitted.
  /// - Returns: Lines without a line break at the end.
  public func statistics(under limits: TierLimits) -> String {
    let hundredths = totalRequests > 0 ? (hitCount * 10_000 + totalRequests / 2) / totalRequests : 0
    let ratio = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    let memory = limits.bytes == .max ? "" : " of \(Self.text(bytes: limits.bytes))"
    let objects = limits.count == .max ? "" : " of \(limits.count)"
    return """
      Hit ratio: \(ratio) % of \(totalRequests) look-ups
      Memory usage: \(Self.text(bytes: memoryUsage))\(memory)
      Objects: \(objectCount)\(objects), \(evictionCount) evicted
      """
  }

  /// Formats bytes in units of 1,024, with one decimal place.
  private static func text(bytes: Int) -> String {
    var value = Double(bytes)
    var units = ["B", "KiB", "MiB", "GiB", "TiB"][...]
    while value >= 1_024, units.count > 1 {
      value /= 1_024
      units = units.dropFirst()
    }
    guard units.count < 5 else { return "\(bytes) B" }
    return "\((value * 10).rounded() / 10) \(units.first ?? "B")"
  }
}
