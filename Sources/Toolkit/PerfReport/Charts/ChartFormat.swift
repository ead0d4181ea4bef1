/// The file formats of charts.
public enum ChartFormat: String, CaseIterable, Sendable {
  /// A PNG image, which needs gnuplot.
  case png
  /// An SVG file.
  case svg

  /// Returns the format of a file name extension; nil for other extensions.
  public init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    self.init(rawValue: path[path.index(after: dot)...].lowercased())
  }
}
