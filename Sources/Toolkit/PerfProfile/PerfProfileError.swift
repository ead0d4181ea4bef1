/// A failure between a measured process and its profile.
public enum PerfProfileError: Error, Equatable, CustomStringConvertible {
  /// The capture segment could not be created; with the step and the error number.
  case segment(step: String, errno: Int32)
  /// The capture configuration is impossible.
  case configuration(String)
  /// A signal cannot be used for sampling; with the name that the user gave.
  case signal(name: String, reason: String)
  /// The temporary file for samples failed; with its folder, the step and the error number.
  case spool(folder: String, step: String, errno: Int32)
  /// A module's file cannot be read as ELF.
  case image(path: String, reason: String)
  /// Unwinding ran out of memory.
  case outOfMemory
  /// A tool failed; with its path.
  case tool(path: String, reason: String)

  /// The failure, its object and its reason, without a full stop.
  var message: String {
    switch self {
    case .segment(let step, let code):
      "cannot create the capture segment: \(step): \(systemMessage(code))"
    case .configuration(let reason): "cannot create the capture segment: \(reason)"
    case .signal(let name, let reason): "cannot sample with signal '\(name)': \(reason)"
    case .spool(let folder, let step, let code):
      "cannot store samples in '\(folder)': \(step): \(systemMessage(code))"
    case .image(let path, let reason): "cannot read '\(path)': \(reason)"
    case .outOfMemory: "cannot unwind stacks: out of memory"
    case .tool(let path, let reason): "'\(path)' failed: \(reason)"
    }
  }

  private var remedy: String {
    switch self {
    case .segment: "Free memory or use a smaller segment."
    case .signal:
      "Use PROF, USR1, USR2, VTALRM, URG, IO, STKFLT, PWR, or RTMIN to RTMAX, e.g. RTMIN+3."
    case .spool: "Free disk space or set TMPDIR to another folder."
    case .outOfMemory: "Free memory."
    case .configuration, .image, .tool: ""
    }
  }

  /// The message and the remedy as sentences.
  public var description: String { remedy.isEmpty ? "\(message)." : "\(message). \(remedy)" }
}
