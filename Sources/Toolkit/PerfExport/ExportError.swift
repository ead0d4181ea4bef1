/// An error while writing a run in an export format.
public enum ExportError: Error, Equatable, CustomStringConvertible {
  /// The run was not profiled.
  case noProfile(run: String)
  /// No sample matches the selection.
  case nothingSelected(run: String)
  /// The format needs the time line of samples, which the run does not have.
  case noTimeline(run: String, format: ProfileFormat)
  /// The encoder failed, which is a defect of PerfKit.
  case encoding(format: ProfileFormat, reason: String)

  /// A message with the failure, the run, the reason and a remedy.
  public var description: String {
    switch self {
    case .noProfile(let run):
      "run \(run) has no profile to export. Measure it without --no-profile. "
        + "The formats json and csv need no profile."
    case .nothingSelected(let run):
      "run \(run) has no samples of this selection. Pass fewer restrictions, or repeat the run if its "
        + "launches failed."
    case .noTimeline(let run, let format):
      "run \(run) has no time line of samples, which \(format.rawValue) needs. "
        + "Use pprof, speedscope or collapsed."
    case .encoding(let format, let reason):
      "cannot encode the \(format.rawValue) file: \(reason). This is a defect of PerfKit; report it."
    }
  }
}
