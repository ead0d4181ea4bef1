internal import Foundation
internal import Glibc

/// The program's entry: the command line in, the exit status out.
@main
enum Main {
  static func main() {
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let context = Context(
      console: .standard(),
      variables: ProcessInfo.processInfo.environment,
      workingDirectory: FileManager.default.currentDirectoryPath,
      programDirectory: (program as NSString).deletingLastPathComponent,
      cancellation: .bySignal())
    exit(Perfkit.run(Array(CommandLine.arguments.dropFirst()), in: context).rawValue)
  }
}
