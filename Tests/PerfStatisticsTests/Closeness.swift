/// Returns whether two numbers agree to a relative error, or an absolute one below 1.
func isClose(_ value: Double?, _ expected: Double, within tolerance: Double = 1e-12) -> Bool {
  guard let value else { return false }
  return (value - expected).magnitude <= tolerance * max(1, expected.magnitude)
}
