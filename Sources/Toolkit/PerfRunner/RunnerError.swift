/// Why a measurement could not be made.
public enum RunnerError: Error, Equatable, CustomStringConvertible {
  /// There is no such program; the places that were looked at.
  case workerNotFound(name: String, searched: [String])
  /// There is no such command; the places that were looked at.
  case commandNotFound(name: String, searched: [String])
  /// The file is there and is no program.
  case notExecutable(path: String)
  /// It is a folder.
  case folder(path: String)
  /// There is no agent library; the places that were looked at.
  case agentNotFound(AgentLibrary, searched: [String])
  /// The agent library lies where nothing can be preloaded from.
  case agentUnloadable(AgentLibrary, path: String)
  /// The program cannot be started.
  case cannotStart(path: String, reason: String)
  /// The agent cannot be put into the program.
  case cannotProfile(path: String, reason: String, remedy: String)
  /// The worker speaks a version of the protocol that this harness does not know.
  case protocolVersion(worker: String, found: Int, known: Int)
  /// The worker broke the protocol.
  case garbage(worker: String, stage: String, line: String)
  /// The worker ended or was silent where an answer was due.
  case noAnswer(worker: String, stage: String, how: String, output: String)
  /// The worker says that a stage failed.
  case stageFailed(worker: String, stage: String, message: String)
  /// The worker has no such workload.
  case unknownWorkload(worker: String, name: String, known: [String])
  /// A system call failed.
  case system(call: String, object: String, reason: String)

  /// What failed, on which object, why, and what to do next.
  public var description: String {
    switch self {
    case .workerNotFound(let name, let searched):
      "cannot find the worker '\(name)' (looked at \(searched.joined(separator: ", "))). "
        + "Build it with `swift build -c release --product \(name)`, or give its path in the "
        + "scenario's `worker`."
    case .commandNotFound(let name, let searched):
      name.isEmpty
        ? "the command has no name. Give that of a program, or its path."
        : "cannot find the command '\(name)' (looked at \(searched.joined(separator: ", "))). "
          + "Check its name, or give its path."
    case .notExecutable(let path):
      "'\(path)' is not executable. If it is a program, make it so by `chmod +x`."
    case .folder(let path):
      "'\(path)' is a folder. Name a program in it."
    case .agentNotFound(let library, let searched):
      "cannot find the agent's library (looked at \(searched.joined(separator: ", "))). "
        + "Build it with `Scripts/build`, or set \(library.variable) to its path."
    case .agentUnloadable(let library, let path):
      "cannot preload '\(path)': in LD_PRELOAD a space or a colon ends a path. Move PerfKit to a "
        + "folder whose path has neither, or set \(library.variable) to a copy of the library in "
        + "such a folder."
    case .cannotStart(let path, let reason):
      "cannot start '\(path)': \(reason). See whether it starts without perfkit."
    case .cannotProfile(let path, let reason, let remedy):
      "cannot profile '\(path)': \(reason). \(remedy)"
    case .protocolVersion(let worker, let found, let known):
      "worker '\(worker)' speaks protocol version \(found); this perfkit knows version \(known). "
        + (found > known ? "Use a newer perfkit." : "Build the worker with a newer PerfWorkload.")
    case .garbage(let worker, let stage, let line):
      "worker '\(worker)' sent something that is no message of the protocol during \(stage): "
        + "\(line.prefix(120).debugDescription). Workers must write nothing of their own to the "
        + "descriptor in PERFKIT_CONTROL_FD."
    case .noAnswer(let worker, let stage, let how, let output):
      "worker '\(worker)' \(how) during \(stage)."
        + (output.isEmpty ? "" : " Its last output: \(output)")
    case .stageFailed(let worker, let stage, let message):
      "worker '\(worker)' failed in \(stage): \(message)"
    case .unknownWorkload(let worker, let name, let known):
      "worker '\(worker)' has no workload '\(name)'; it has \(known.joined(separator: ", "))."
    case .system(let call, let object, let reason):
      "\(call) failed on \(object): \(reason)."
    }
  }
}
