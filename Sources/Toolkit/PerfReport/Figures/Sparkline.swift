internal import PerfModel

enum Sparkline {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// Returns a block for each finite value, scaled from the lowest to the highest; neighbouring values
  /// are averaged to fit into `width` blocks.
  ///
  /// - Parameters:
  ///   - values: The values.
  ///   - width: The maximum number of blocks.
  ///   - floor: A value that the scale contains; nil for none.
  /// - Returns: The blocks.
  static func text(of values: [Double], width: Int, from floor: Double? = nil) -> String {
    let count = min(values.count, max(width, 1))
    let heights = (0..<count).map { place -> Double in
      let part = values[place * values.count / count..<(place + 1) * values.count / count]
      return part.reduce(0) { $0 + $1 / Double(part.count) }
    }
    guard let least = heights.min(), let most = heights.max() else { return "" }
    let (low, high) = (min(least, floor ?? least), max(most, floor ?? most))
    // A constant series is drawn at medium height.
    guard high > low else { return String(repeating: blocks[3], count: count) }
    let steps = Double(blocks.count - 1)
    return String(heights.map { blocks[Int(nearest: ($0 - low) / (high - low) * steps)] })
  }
}
