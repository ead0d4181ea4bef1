/// The mean of values, and how they scatter around it.
struct Moments {
  /// Their mean; 0 of none.
  let mean: Double
  /// The sum of the squares of their distances from it.
  let squares: Double

  /// Adds up values.
  ///
  /// It divides before it adds, so that the sum of finite values does not overflow.
  init(_ values: some Collection<Double>) {
    let count = Double(values.count)
    let mean = values.reduce(0) { $0 + $1 / count }
    self.mean = mean
    squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }
}
