/// Why a run cannot be written in a format.
public enum ExportError: Error, Equatable, CustomStringConvertible {
  /// The run was not profiled.
  case noProfile(run: String)
  /// No sample is left of what was asked for.
  case nothingSelected(run: String)
  /// The format needs the samples by time, and the run has none.
  case noTimeline(run: String, format: ProfileFormat)
  /// The encoder refused; a fault of PerfKit.
  case encoding(format: ProfileFormat, reason: String)

  /// What failed, on what, why, and what to do.
  public var description: String {
    switch self {
    case .noProfile(let run):
      "run \(run) has no profile to export. Measure it without --no-profile; "
        + "json and csv need none."
    case .nothingSelected(let run):
      "run \(run) has no samples of that kind. Ask for fewer restrictions."
    case .noTimeline(let run, let format):
      "run \(run) has no time line, which \(format.rawValue) needs. "
        + "pprof, speedscope and collapsed do without."
    case .encoding(let format, let reason):
      "cannot encode the \(format.rawValue) file: \(reason). This is a fault of PerfKit."
    }
  }
}
