/// A reason why a report or a chart cannot be created.
public enum ReportError: Error, Equatable, CustomStringConvertible {
  /// The run has no data for the chart; it has data for other kinds of charts.
  case nothingToDraw(chart: String, reason: String, others: [ChartKind] = [])
  case gnuplotMissing
  case gnuplotFailed(status: Int32, message: String)
  case cannotWrite(path: String, reason: String)

  /// The problem, its object, its cause and a remedy.
  public var description: String {
    switch self {
    case .nothingToDraw(let chart, let reason, let others):
      "cannot draw the chart '\(chart)': \(reason)."
        + (others.isEmpty
          ? "" : " Pass another --kind: \(others.map(\.rawValue).joined(separator: ", ")).")
    case .gnuplotMissing:
      "cannot draw a chart as PNG: gnuplot is not installed. Install it "
        + "(apt-get install gnuplot-nox), or write to a .svg file, which needs no gnuplot."
    case .gnuplotFailed(let status, let message):
      "gnuplot exited with status \(status): \(message). Write to a .svg file, which needs no "
        + "gnuplot."
    case .cannotWrite(let path, let reason):
      "cannot write '\(path)': \(reason). Choose another path or free space. Measurements are in "
        + "the store."
    }
  }
}
