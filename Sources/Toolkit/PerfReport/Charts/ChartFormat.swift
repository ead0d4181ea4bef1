/// The file formats of charts.
public enum ChartFormat: String, CaseIterable, Sendable {
  case png
  case svg

  /// Finds the format by a file's ending; nil for any other ending.
  public init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    self.init(rawValue: path[path.index(after: dot)...].lowercased())
  }
}
