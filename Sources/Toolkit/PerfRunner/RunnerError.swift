internal import PerfModel

/// The reason why a measurement failed.
public enum RunnerError: Error, Equatable, CustomStringConvertible {
  /// The worker does not exist at any of the searched places; `build` is how the project builds it, or nil.
  case workerNotFound(name: String, searched: [String], build: String? = nil)
  /// The command does not exist at any of the searched places.
  case commandNotFound(name: String, searched: [String])
  /// The file is not executable.
  case notExecutable(path: String)
  /// The path is a folder.
  case folder(path: String)
  /// The working directory of a command is no folder.
  case noDirectory(path: String)
  /// The input of a command cannot be read.
  case noInput(path: String, reason: String)
  /// The program before or after a launch failed; `side` is nil without pairs.
  case hookFailed(
    name: String, command: String, launch: Int, side: String?, how: String, output: String)
  /// The folder has no package with suites of package-benchmark.
  case noSuitePackage(folder: String, reason: String)
  /// A suite cannot be built.
  case suiteNotBuilt(folder: String, command: String, output: String)
  /// The package has no suite or benchmark with the name.
  case unknownBenchmark(name: String, known: [String])
  /// The program is no suite of package-benchmark.
  case noSuite(path: String, reason: String, output: String)
  /// The agent library does not exist at any of the searched places.
  case agentNotFound(AgentLibrary, searched: [String])
  /// The agent library cannot be preloaded from its path.
  case agentUnloadable(AgentLibrary, path: String)
  /// The program cannot be started.
  case cannotStart(path: String, reason: String)
  /// The agent cannot be loaded into the program.
  case cannotProfile(path: String, reason: String, remedy: String)
  /// The running process cannot be sampled.
  case cannotAttach(process: Int32, reason: String, remedy: String)
  /// Valgrind, which counts instructions, is not in PATH.
  case valgrindNotFound
  /// The program cannot be counted.
  case cannotCount(path: String, reason: String)
  /// The worker's version of the protocol is unknown.
  case protocolVersion(worker: String, found: Int, known: Int)
  /// The parameters of a workload are too long.
  case longOrder(worker: String, bytes: Int, limit: Int)
  /// The worker broke the protocol.
  case garbage(worker: String, stage: String, line: String)
  /// The worker ended, or did not answer.
  case noAnswer(worker: String, stage: String, how: String, output: String)
  /// The worker reports the failure of a stage.
  case stageFailed(worker: String, stage: String, message: String)
  /// The worker has no workload with the name.
  case unknownWorkload(worker: String, name: String, known: [String])
  /// A system call failed.
  case system(call: String, object: String, reason: String)

  /// A message with the object, the cause and the remedy.
  public var description: String {
    switch self {
    case .workerNotFound(let name, let searched, let build):
      "cannot find the worker '\(name)' (looked at \(searched.joined(separator: ", "))). "
        + (name.contains("/")
          ? "Build it\(build.map { " with \($0)" } ?? ""), or correct the scenario's `worker`, which "
            + "starts from the scenario's file."
          : "Build it with \(build ?? "`swift build -c release --product \(name)`"), or give its path "
            + "in the scenario's `worker`.")
    case .commandNotFound(let name, let searched):
      name.isEmpty
        ? "the command has no name. Pass the name or the path of a program."
        : "cannot find the command '\(name)' (looked at \(searched.joined(separator: ", "))). "
          + (name.contains("/")
            ? "Build the program, or correct its path." : "Check its name, or pass its path.")
    case .notExecutable(let path):
      "'\(path)' is not executable. If it is a program, run `chmod +x` on it."
    case .folder(let path):
      "'\(path)' is a folder. Pass a program in it."
    case .noDirectory(let path):
      "the command cannot run in '\(path)': there is no such folder. Correct `directory`, which "
        + "starts from the scenario's file, or choose a revision that has the folder."
    case .noInput(let path, let reason):
      "cannot read the command's input '\(path)': \(reason). Correct `stdin`, which starts from the "
        + "working directory."
    case .hookFailed(let name, let command, let launch, let side, let how, let output):
      "`\(name)` failed for launch \(launch)\(side.map { " of the \($0)" } ?? ""): "
        + "`\(command)` \(how)."
        + (output.isEmpty ? "" : " Its last output: \(output.suffix(2000))")
    case .noSuitePackage(let folder, let reason):
      "cannot find suites of package-benchmark in '\(folder)': \(reason). Run perfkit in the folder of "
        + "the package, or of its Benchmarks."
    case .suiteNotBuilt(let folder, let command, let output):
      "cannot build the suites in '\(folder)': `\(command)` failed:\n\(output)\nRun it there to see all "
        + "of its output."
    case .unknownBenchmark(let name, let known):
      "there is no suite or benchmark '\(name)'\(NearestName.ending(for: name, among: known)) Known: "
        + known.joined(separator: ", ") + "."
    case .noSuite(let path, let reason, let output):
      "cannot list the benchmarks of '\(path)': \(reason). It must be a program that package-benchmark "
        + "made (version \(SuiteMessages.knownVersion) is known)."
        + (output.isEmpty ? "" : " Its last output: \(output)")
    case .agentNotFound(let library, let searched):
      "cannot find the agent's library (looked at \(searched.joined(separator: ", "))). "
        + "Build it with `Scripts/build`, or set \(library.variable) to its path."
    case .agentUnloadable(let library, let path):
      "cannot preload '\(path)': in LD_PRELOAD a space or a colon ends a path. Move PerfKit to a "
        + "folder whose path has neither, or set \(library.variable) to a copy of the library in "
        + "such a folder."
    case .cannotStart(let path, let reason):
      "cannot start '\(path)': \(reason). Check that it starts without perfkit."
    case .cannotProfile(let path, let reason, let remedy):
      "cannot profile '\(path)': \(reason). \(remedy)"
    case .cannotAttach(let process, let reason, let remedy):
      "cannot sample process \(process): \(reason). \(remedy)"
    case .valgrindNotFound:
      "cannot count instructions: valgrind is not in PATH. Install the Debian package 'valgrind', "
        + "or measure times, without --count."
    case .cannotCount(let path, let reason):
      "cannot count the instructions of '\(path)': its copy cannot be written: \(reason). Free "
        + "disk space, or pass another --store."
    case .protocolVersion(let worker, let found, let known):
      "worker '\(worker)' speaks protocol version \(found); this perfkit knows version \(known). "
        + (found > known ? "Use a newer perfkit." : "Build the worker with a newer PerfWorkload.")
    case .longOrder(let worker, let bytes, let limit):
      "cannot send \(NumberFormat.grouped(bytes)) bytes of parameters to '\(worker)'; at most "
        + "\(NumberFormat.grouped(limit)) bytes are allowed. Write long values into a file and pass "
        + "its path."
    case .garbage(let worker, let stage, let line):
      "worker '\(worker)' sent an invalid message during \(stage): "
        + "\(line.prefix(120).debugDescription). Workers must write nothing else to the descriptor "
        + "in PERFKIT_CONTROL_FD."
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
