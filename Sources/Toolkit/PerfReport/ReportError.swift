/// A reason why a report or a chart cannot be created.
public enum ReportError: Error, Equatable, CustomStringConvertible {
  /// A template of the HTML report cannot be read or rendered; this is a bug in PerfKit.
  case template(name: String, reason: String)
  /// The run has no data for the chart.
  case nothingToDraw(chart: String, reason: String)
  /// gnuplot is not installed.
  case gnuplotMissing
  /// gnuplot failed.
  case gnuplotFailed(status: Int32, message: String)
  /// A file cannot be written.
  case cannotWrite(path: String, reason: String)

  /// The problem, its object, its cause and a remedy.
  public var description: String {
    switch self {
    case .template(let name, let reason):
      "cannot render the template '\(name)' of the report: \(reason). This is a bug in PerfKit; "
        + "pass --format markdown instead."
    case .nothingToDraw(let chart, let reason):
      "cannot draw the chart '\(chart)': \(reason)."
    case .gnuplotMissing:
      "cannot draw a chart as PNG: gnuplot is not installed. Install it "
        + "(apt-get install gnuplot-nox), or write to a .svg file, which needs no gnuplot."
    case .gnuplotFailed(let status, let message):
      "gnuplot exited with status \(status): \(message). Write to a .svg file, which needs no "
        + "gnuplot."
    case .cannotWrite(let path, let reason):
      "cannot write '\(path)': \(reason). Choose another path or free space; the measurement is in "
        + "the store."
    }
  }
}
