internal import Foundation
internal import Glibc
internal import PerfGate

/// The entry point of the program.
@main
enum Main {
  static func main() {
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
    // Dispatch waits for ever if it cannot start a thread.
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
        version: perfkitVersion, isCancelled: Cancellation.bySignal().isRequested))
    exit(Perfkit.run(Array(CommandLine.arguments.dropFirst()), in: context).rawValue)
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
