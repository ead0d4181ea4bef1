internal import PerfModel

enum Sparkline {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// Returns a block for each finite value, scaled from the lowest to the highest; neighbouring values
  /// are averaged to fit into `width` blocks.
  static func text(of values: [Double], width: Int) -> String {
    let count = min(values.count, max(width, 1))
    let heights = (0..<count).map { place -> Double in
      let part = values[place * values.count / count..<(place + 1) * values.count / count]
      return part.reduce(0) { $0 + $1 / Double(part.count) }
    }
    guard let low = heights.min(), let high = heights.max() else { return "" }
    // A constant series is drawn at medium height.
    guard high > low else { return String(repeating: blocks[3], count: count) }
    let steps = Double(blocks.count - 1)
    return String(heights.map { blocks[Int(nearest: ($0 - low) / (high - low) * steps)] })
  }
}
