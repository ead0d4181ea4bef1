extension FixedWidthInteger {
  /// Creates the whole number that is nearest to a value: the largest or the smallest one for what lies
  /// beyond it, and 0 for what is no number.
  ///
  /// For figures of a measured process, which may have written anything.
  package init(nearest value: Double) {
    let whole = value.rounded()
    self = Self(exactly: whole) ?? (whole > 0 ? .max : whole < 0 ? .min : 0)
  }
}
