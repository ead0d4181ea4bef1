internal import ArgumentParser
internal import Foundation
internal import PerfGate
internal import PerfProfile

/// The hidden verb that names addresses for another perfkit process.
///
/// A damaged or hostile file can crash this process without harm to the run.
struct SymbolicateVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: Workspace.symbolicationVerb,
    abstract: "Read addresses from standard input and write their functions to standard output.",
    shouldDisplay: false)

  func perform(_ context: Context) throws -> ExitStatus {
    let request = FileHandle.standardInput.readDataToEndOfFile()
    let answer = try SymbolicationChild.answer([UInt8](request))
    try FileHandle.standardOutput.write(contentsOf: Data(answer))
    return .done
  }
}
