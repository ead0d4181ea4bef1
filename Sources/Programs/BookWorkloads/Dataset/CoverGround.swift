/// The soft background of a cover: gradient, picture and paper grain.
///
/// It is computed for one point of eight in each direction and scaled up row by row with integers,
/// three channels at once in the 16-bit lanes of a word. This makes a thousand covers in seconds.
struct CoverGround {
  /// The number of pixels between two computed points.
  private static let spacing = 8
  /// The size of the grain table, a power of two so that the index can wrap.
  private static let grainCount = 4_096
  /// The largest grain, in levels of 0...255.
  private static let strongestGrain = 10

  private let width: Int
  private let height: Int
  private let columns: Int
  /// The colours of the points as lanes of 0...255, reduced by the range of the grain.
  private let points: [UInt64]
  /// The grain as lanes, scaled like the sums to which it is added.
  private let grain: [UInt64]
  private let grainOffsets: [Int]

  init(_ design: CoverDesign, width: Int, height: Int, _ random: inout SplitMix64) {
    self.width = width
    self.height = height
    columns = width / Self.spacing + 2
    let rows = height / Self.spacing + 2
    let strength = random.of(3...Self.strongestGrain)
    points = Self.points(
      design, columns: columns, rows: rows, width: width, height: height, room: Float(strength),
      &random)
    grain = (0..<Self.grainCount).map { _ in
      // The sum of two uniform numbers has a triangular distribution, similar to film grain.
      let level = random.below(64 * strength) + random.below(64 * strength)
      return Self.lanes(UInt64(level), UInt64(level), UInt64(level))
    }
    grainOffsets = (0..<height).map { _ in random.below(Self.grainCount) }
  }

  func paint(on canvas: CoverCanvas) {
    var blended = [UInt64](repeating: 0, count: columns)
    points.withUnsafeBufferPointer { points in
      grain.withUnsafeBufferPointer { grain in
        for y in 0..<height {
          let above = (y / Self.spacing) * columns
          let lower = UInt64(y % Self.spacing)
          let upper = UInt64(Self.spacing) - lower
          for column in 0..<columns {
            blended[column] =
              points[above + column] &* upper &+ points[above + columns + column] &* lower
          }
          canvas.withRow(y) { row in
            Self.scale(blended, to: row, grain: grain, offset: grainOffsets[y])
          }
        }
      }
    }
  }

  /// Interpolates between the points of a row.
  ///
  /// Lanes contain at most 255 x 8 x 8, grain included, so they never overflow into each other.
  private static func scale(
    _ points: [UInt64], to row: UnsafeMutableBufferPointer<UInt32>,
    grain: UnsafeBufferPointer<UInt64>, offset: Int
  ) {
    points.withUnsafeBufferPointer { points in
      var x = 0
      var column = 0
      while x < row.count {
        let left = points[column]
        let right = points[column + 1]
        for step in 0..<min(spacing, row.count - x) {
          let share = UInt64(truncatingIfNeeded: step)
          let sum =
            left &* (8 &- share) &+ right &* share
            &+ grain[(x &+ step &+ offset) & (grainCount - 1)]
          let red = UInt32(truncatingIfNeeded: sum >> 6) & 0xFF
          let green = UInt32(truncatingIfNeeded: sum >> 14) & 0xFF00
          let blue = UInt32(truncatingIfNeeded: sum >> 22) & 0xFF_0000
          row[x &+ step] = UInt32(littleEndian: red | green | blue | 0xFF00_0000)
        }
        x += spacing
        column += 1
      }
    }
  }

  private static func points(
    _ design: CoverDesign, columns: Int, rows: Int, width: Int, height: Int, room: Float,
    _ random: inout SplitMix64
  ) -> [UInt64] {
    let light = ValueNoise(width: columns, height: rows, period: max(4, columns / 3), &random)
    let tint = ValueNoise(width: columns, height: rows, period: max(4, columns / 2), &random)
    var lights = [Float](repeating: 0, count: columns)
    var tints = lights
    var points: [UInt64] = []
    points.reserveCapacity(columns * rows)
    for y in 0..<rows {
      light.fill(&lights, at: y)
      tint.fill(&tints, at: y)
      let depth = Float(y * spacing) / Float(height)
      let ground = design.ground.top + (design.ground.bottom - design.ground.top) * depth
      for x in 0..<columns {
        let share = design.pictureShare(x: Float(x * spacing) / Float(width), y: depth)
        // The contrast is raised for edges and shadows.
        let brightness = max(0.05, min(1.2, (lights[x] - 0.5) * 2.6 + 0.65))
        let hue = max(0, min(1, (tints[x] - 0.5) * 2 + 0.5))
        let picture =
          (design.picture.first + (design.picture.second - design.picture.first) * hue)
          * brightness
        let colour =
          (ground + (picture - ground) * share)
          .clamped(lowerBound: .zero, upperBound: .one) * (255 - 2 * room)
        points.append(lanes(UInt64(colour.x), UInt64(colour.y), UInt64(colour.z)))
      }
    }
    return points
  }

  private static func lanes(_ red: UInt64, _ green: UInt64, _ blue: UInt64) -> UInt64 {
    red | green << 16 | blue << 32
  }
}

extension CoverDesign {
  /// Returns the opacity of the picture at a point; coordinates and result are in 0...1.
  fileprivate func pictureShare(x: Float, y: Float) -> Float {
    switch layout {
    case .fullPhoto: 0.9
    case .window: (0.12...0.88).contains(x) && (0.34...0.80).contains(y) ? 1 : 0.06
    case .graphic: 0.1
    }
  }
}
