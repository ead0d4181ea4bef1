internal import Foundation
internal import Glibc
internal import PerfGate

/// The entry point of the program.
@main
enum Main {
  static func main() {
    let console = Console.standard()
    // Without /proc, Swift does not even know the arguments.
    guard
      let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    else {
      console.error(
        "perfkit: cannot read /proc/self/exe. PerfKit needs the file system /proc: mount it with "
          + "'mount -t proc proc /proc'.")
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
}
