extension UInt64 {
  /// Returns the sum, at most the largest value.
  func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// Returns the product, at most the largest value.
  func multipliedClamped(by other: UInt64) -> UInt64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}

extension Int {
  /// Returns the sum, at most the largest value.
  func addingClamped(_ other: UInt64) -> Int {
    let (sum, overflow) = addingReportingOverflow(Int(clamping: other))
    return overflow ? .max : sum
  }
}
