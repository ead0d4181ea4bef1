/// The mean of values and the sum of their squared deviations.
struct Moments {
  /// The mean; 0 without values.
  let mean: Double
  /// The sum of the squared deviations from the mean.
  let squares: Double

  /// Sums values.
  ///
  /// Each value is divided before the addition, so that finite values do not overflow.
  init(_ values: some Collection<Double>) {
    let count = Double(values.count)
    let mean = values.reduce(0) { $0 + $1 / count }
    self.mean = mean
    squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }
}
