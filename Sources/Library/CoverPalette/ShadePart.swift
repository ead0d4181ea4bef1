/// Some shades with their mean and their longest axis.
struct ShadePart {
  typealias Vector = SIMD3<Double>

  let shades: [Shade]
  let mean: Vector
  /// The direction in which the shades differ most, of length 1.
  let axis: Vector
  /// The sum of the squared deviations along the axis, weighted by shares.
  let inertia: Double
  /// The standard deviation along the axis.
  let spread: Double

  init(_ shades: [Shade]) {
    self.shades = shades
    let share = shades.reduce(0) { $0 + $1.share }
    let mean = shades.reduce(Vector.zero) { $0 + $1.place * $1.share } / share
    self.mean = mean
    var columns = (Vector.zero, Vector.zero, Vector.zero)
    for shade in shades {
      let offset = shade.place - mean
      columns.0 += offset * (offset.x * shade.share)
      columns.1 += offset * (offset.y * shade.share)
      columns.2 += offset * (offset.z * shade.share)
    }
    let axis = Self.longestAxis(columns)
    self.axis = axis
    inertia = shades.reduce(0) { sum, shade in
      let position = (axis * (shade.place - mean)).sum()
      return sum + shade.share * position * position
    }
    spread = (inertia / share).squareRoot()
  }

  /// The shades after the mean along the axis and the others; nil if one part has none.
  var halves: (ShadePart, ShadePart)? {
    let positions = shades.map { (axis * ($0.place - mean)).sum() }
    let after = zip(shades, positions).filter { $1 > 0 }.map(\.0)
    let before = zip(shades, positions).filter { $1 <= 0 }.map(\.0)
    return after.isEmpty || before.isEmpty ? nil : (ShadePart(after), ShadePart(before))
  }

  /// Returns the eigenvector of the largest eigenvalue of a symmetric matrix.
  ///
  /// Each squaring of the matrix doubles the ratio of its eigenvalues' logarithms.
  private static func longestAxis(_ matrix: (Vector, Vector, Vector)) -> Vector {
    var (one, two, three) = matrix
    for _ in 0..<6 {
      let trace = one.x + two.y + three.z
      guard trace > 0 else { return Vector(1, 0, 0) }
      let (a, b, c) = (one / trace, two / trace, three / trace)
      one = a * a.x + b * a.y + c * a.z
      two = a * b.x + b * b.y + c * b.z
      three = a * c.x + b * c.y + c * c.z
    }
    let longest = [one, two, three].max { ($0 * $0).sum() < ($1 * $1).sum() } ?? one
    let length = (longest * longest).sum().squareRoot()
    return length > 0 ? longest / length : Vector(1, 0, 0)
  }

  /// A part whose shades spread less than this along their longest axis, half a just visible
  /// difference, is one colour.
  private static let leastSpread = 0.01

  /// Splits shades into at most `count` parts; the part with the largest inertia is split next.
  static func split(_ shades: [Shade], count: Int) -> [ShadePart] {
    guard !shades.isEmpty else { return [] }
    var parts = [ShadePart(shades)]
    while parts.count < count {
      let candidates = parts.indices.filter { parts[$0].spread > leastSpread }
      guard let widest = candidates.max(by: { parts[$0].inertia < parts[$1].inertia }) else {
        break
      }
      guard let halves = parts[widest].halves else { break }
      parts.replaceSubrange(widest...widest, with: [halves.0, halves.1])
    }
    return parts
  }
}
