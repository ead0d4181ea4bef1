/// Smooth random values over a plane, similar to clouds or foliage.
///
/// The values are a sum of interpolated random lattices, each with half the period and half the
/// amplitude of the previous one. Source: K. Perlin, "An image synthesizer", SIGGRAPH 1985,
/// doi:10.1145/325334.325247 (with values instead of gradients).
struct ValueNoise {
  private struct Octave {
    let period: Int
    let columns: Int
    let strength: Float
    let values: [Float]
  }

  private let octaves: [Octave]

  /// Draws the lattices for a plane of the given size.
  ///
  /// `period`, at least 1, is the distance between the points of the widest lattice, and `narrowest`
  /// the least distance of the narrowest.
  init(
    width: Int, height: Int, period: Int, narrowest: Int = 1, _ random: inout SplitMix64
  ) {
    var octaves: [Octave] = []
    var period = period
    var strength: Float = 0.5
    while period >= narrowest {
      let columns = width / period + 2
      let count = columns * (height / period + 2)
      octaves.append(
        Octave(
          period: period, columns: columns, strength: strength,
          values: (0..<count).map { _ in random.fraction() }))
      period /= 2
      strength /= 2
    }
    self.octaves = octaves
  }

  /// Writes the values of a row, in 0..<1 with a mean of about 0.5.
  func fill(_ row: inout [Float], at y: Int) {
    for x in row.indices { row[x] = 0 }
    for octave in octaves {
      let period = octave.period
      let vertical = Self.smooth(Float(y % period) / Float(period))
      let above = (y / period) * octave.columns
      let steps = (0..<period).map { Self.smooth(Float($0) / Float(period)) }
      var column = 0
      var x = 0
      while x < row.count {
        let left = Self.mix(
          octave.values[above + column], octave.values[above + octave.columns + column], vertical)
        let right = Self.mix(
          octave.values[above + column + 1],
          octave.values[above + octave.columns + column + 1], vertical)
        for step in steps.prefix(row.count - x) {
          row[x] += octave.strength * Self.mix(left, right, step)
          x += 1
        }
        column += 1
      }
    }
  }

  private static func mix(_ first: Float, _ second: Float, _ share: Float) -> Float {
    first + (second - first) * share
  }

  private static func smooth(_ t: Float) -> Float { t * t * (3 - 2 * t) }
}
