internal import CEventLoop
internal import Foundation
internal import Glibc
internal import PerfGate

/// The entry point of the program.
@main
enum Main {
  static func main() {
    // A signal during the checks is a stop as well.
    let cancellation = Cancellation.bySignal()
    let console = Console.standard()
    // Swift takes the arguments from /proc/self/cmdline.
    guard
      let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
      !CommandLine.arguments.isEmpty
    else {
      console.error(
        "perfkit: cannot read /proc/self/exe and /proc/self/cmdline. PerfKit needs the file system "
          + "/proc: mount it with 'mount -t proc proc /proc'.")
      exit(ExitStatus.failed.rawValue)
    }
    // Swift's runtime traps without some descriptors.
    let files = sysconf(Int32(_SC_OPEN_MAX))
    if files >= 0, files < fewestFiles {
      console.error(
        "perfkit: cannot measure here: the limit of open files is \(files). Raise it to "
          + "\(fewestFiles) or more (ulimit -n).")
      exit(ExitStatus.failed.rawValue)
    }
    // Dispatch traps if it cannot create its event loop.
    if let fault = eventLoopFault() {
      console.error("perfkit: \(fault)")
      exit(ExitStatus.failed.rawValue)
    }
    // Dispatch waits indefinitely if it cannot start a thread.
    if let reason = reasonWithoutThreads() {
      console.error(
        "perfkit: cannot start a thread: \(reason). Raise the limit of processes (ulimit -u), or let "
          + "the container's filter allow the system call clone3.")
      exit(ExitStatus.failed.rawValue)
    }
    let context = Context(
      console: console,
      workspace: Workspace(
        variables: ProcessInfo.processInfo.environment,
        workingDirectory: FileManager.default.currentDirectoryPath,
        programDirectory: (program as NSString).deletingLastPathComponent,
        version: perfkitVersion, isCancelled: cancellation.isRequested))
    exit(Perfkit.run(Array(CommandLine.arguments.dropFirst()), in: context).rawValue)
  }

  /// The smallest limit of open files with which a run without samples is possible.
  private static let fewestFiles = 16

  /// Makes the calls of event loops once and returns a message about the call that fails, or nil.
  private static func eventLoopFault() -> String? {
    var code: Int32 = 0
    guard let name = ceventloop_failing_call(&code) else { return nil }
    let call = String(cString: name)
    let remedy =
      [EPERM, EACCES, ENOSYS].contains(code)
      ? "Probably a seccomp filter of the container or service denies it. Let the filter allow "
        + "\(call), or run perfkit outside it."
      : "Raise the limits of open files (ulimit -n) and memory, or end other programs."
    return "cannot measure here: the system call \(call) fails: "
      + "\(String(cString: strerror(code))). \(remedy)"
  }

  /// Starts a thread and returns why that is not possible, or nil.
  private static func reasonWithoutThreads() -> String? {
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { _ in nil }, nil)
    guard code == 0 else { return String(cString: strerror(code)) }
    pthread_join(thread, nil)
    return nil
  }
}
