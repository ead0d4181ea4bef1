extension FixedWidthInteger {
  /// Creates the nearest whole number, clamped to the range of the type; 0 for NaN.
  ///
  /// Figures of a measured process may have any value.
  package init(nearest value: Double) {
    let whole = value.rounded()
    self = Self(exactly: whole) ?? (whole > 0 ? .max : whole < 0 ? .min : 0)
  }
}
