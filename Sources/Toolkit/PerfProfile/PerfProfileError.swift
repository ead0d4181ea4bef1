/// What can go wrong between a measured process and its profile.
public enum PerfProfileError: Error, Equatable, CustomStringConvertible {
  /// The capture segment could not be made; with the step and the error number.
  case segment(step: String, errno: Int32)
  /// A capture configuration that no segment can have.
  case configuration(String)
  /// A signal that a program cannot be sampled with; with the name as it was given.
  case signal(name: String, reason: String)
  /// The temporary file for samples failed; with its folder, the step and the error number.
  case spool(folder: String, step: String, errno: Int32)
  /// A module's file is no ELF image that can be read.
  case image(path: String, reason: String)
  /// Memory for unwinding ran out.
  case outOfMemory
  /// A tool failed; with its path and the reason.
  case tool(path: String, reason: String)

  /// What failed, why, and what to do.
  public var description: String {
    switch self {
    case .segment(let step, let code):
      "cannot make the capture segment: \(step): \(systemMessage(code)). "
        + "Free some memory or ask for a smaller segment."
    case .configuration(let reason):
      "cannot make a capture segment: \(reason)."
    case .signal(let name, let reason):
      "cannot sample with signal '\(name)': \(reason). Use PROF, USR1, USR2, VTALRM, URG, IO, STKFLT, "
        + "PWR, or RTMIN to RTMAX, as RTMIN+3."
    case .spool(let folder, let step, let code):
      "cannot keep samples in '\(folder)': \(step): \(systemMessage(code)). "
        + "Free some disk space or set TMPDIR to another folder."
    case .image(let path, let reason):
      "cannot read '\(path)': \(reason)."
    case .outOfMemory:
      "cannot unwind: memory ran out. Free some memory."
    case .tool(let path, let reason):
      "'\(path)' failed: \(reason). Set PERFKIT_LLVM_SYMBOLIZER to another llvm-symbolizer."
    }
  }
}
