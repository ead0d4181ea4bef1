/// The file formats of charts.
public enum ChartFormat: String, CaseIterable, Sendable {
  /// An image, which needs gnuplot.
  case png
  case svg

  /// Returns the format of a file name extension; nil for other extensions.
  public init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    self.init(rawValue: path[path.index(after: dot)...].lowercased())
  }
}
