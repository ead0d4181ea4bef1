/// Why a report or a chart cannot be made.
public enum ReportError: Error, Equatable, CustomStringConvertible {
  /// A template of the HTML report cannot be read or rendered; a fault of PerfKit.
  case template(name: String, reason: String)
  /// The chart needs something that the run does not have.
  case nothingToDraw(chart: String, reason: String)
  /// There is no gnuplot.
  case gnuplotMissing
  /// gnuplot did not draw.
  case gnuplotFailed(status: Int32, message: String)
  /// A file cannot be written.
  case cannotWrite(path: String, reason: String)

  /// What failed, on what, why, and what to do.
  public var description: String {
    switch self {
    case .template(let name, let reason):
      "cannot render the template '\(name)' of the report: \(reason). This is a fault of PerfKit; "
        + "--format markdown needs no template."
    case .nothingToDraw(let chart, let reason):
      "cannot draw the chart '\(chart)': \(reason)."
    case .gnuplotMissing:
      "cannot draw a chart as PNG: there is no gnuplot. Install it (apt-get install gnuplot-nox), "
        + "or ask for a file that ends in .svg, which needs none."
    case .gnuplotFailed(let status, let message):
      "gnuplot ended with status \(status): \(message). Ask for a file that ends in .svg, which "
        + "needs no gnuplot."
    case .cannotWrite(let path, let reason):
      "cannot write '\(path)': \(reason). Choose another place, or make room; "
        + "what was measured is in the store."
    }
  }
}
