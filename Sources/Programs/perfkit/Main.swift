internal import Foundation
internal import Glibc
internal import PerfGate

/// The entry point of the program.
@main
enum Main {
  static func main() {
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let context = Context(
      console: .standard(),
      workspace: Workspace(
        variables: ProcessInfo.processInfo.environment,
        workingDirectory: FileManager.default.currentDirectoryPath,
        programDirectory: (program as NSString).deletingLastPathComponent,
        version: perfkitVersion, isCancelled: Cancellation.bySignal().isRequested))
    exit(Perfkit.run(Array(CommandLine.arguments.dropFirst()), in: context).rawValue)
  }
}
