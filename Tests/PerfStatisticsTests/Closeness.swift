/// Returns whether two numbers agree within a relative tolerance, which is absolute below 1.
func isClose(_ value: Double?, _ expected: Double, within tolerance: Double = 1e-12) -> Bool {
  guard let value else { return false }
  return (value - expected).magnitude <= tolerance * max(1, expected.magnitude)
}
