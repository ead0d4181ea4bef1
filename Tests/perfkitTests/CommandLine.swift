import Foundation
import PerfGate
import PerfTestSupport
import Synchronization

@testable import perfkit

/// The command, run in process in a temporary folder.
final class TestCommand: Sendable {
  /// The result of a command line.
  struct Result {
    let status: PerfGate.ExitStatus
    let output: String
    let errors: String

    /// Returns whether standard error contains a text, wherever its lines are broken.
    func says(_ text: String) -> Bool {
      errors.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(text)
    }

    /// Returns whether standard output contains a text, wherever its lines are broken.
    func prints(_ text: String) -> Bool {
      output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(text)
    }

    /// The lines of standard output that are wider than a terminal of 80 columns.
    var wideLines: [Substring] { output.split(separator: "\n").filter { $0.count > 80 } }
  }

  /// The folder that the command runs in.
  let folder: TemporaryFolder

  /// Creates the command in a new folder, which has an empty folder of scenarios.
  convenience init() throws {
    self.init(in: try TemporaryFolder())
    try FileManager.default.createDirectory(
      atPath: folder("Scenarios"), withIntermediateDirectories: true)
  }

  /// Creates the command in a folder.
  init(in folder: TemporaryFolder) { self.folder = folder }

  /// Whether the programs are those of a release build.
  static var hasReleasePrograms: Bool { TestPrograms.areReleased }

  /// The folder of the built programs.
  static var programs: String { TestPrograms.folder }

  /// Runs a command line.
  func callAsFunction(
    _ words: String..., variables: [String: String] = [:], cancellation: Cancellation = .never
  ) -> Result {
    run(words, variables: variables, cancellation: cancellation)
  }

  /// Runs the words of a command line; standard output fails with `writeError` unless that is 0.
  func run(
    _ words: [String], variables: [String: String] = [:], cancellation: Cancellation = .never,
    writeError: Int32 = 0, hasColour: Bool = false
  ) -> Result {
    let recorded = RecordedOutput()
    let context = context(
      recorded, variables: variables, cancellation: cancellation, writeError, hasColour: hasColour)
    let status = Perfkit.run(words, in: context)
    return Result(status: status, output: recorded.output, errors: recorded.errors)
  }

  /// Runs a command line in a folder below the command's folder.
  func run(
    _ words: [String], below place: String, variables: [String: String] = [:]
  ) -> Result {
    let recorded = RecordedOutput()
    var context = context(recorded, variables: variables)
    if !place.isEmpty { context.workspace.workingDirectory += "/\(place)" }
    let status = Perfkit.run(words, in: context)
    return Result(status: status, output: recorded.output, errors: recorded.errors)
  }

  /// The text that is written to a console.
  final class RecordedOutput: Sendable {
    private let texts = Mutex((output: "", errors: ""))

    var output: String { texts.withLock { $0.output } }
    var errors: String { texts.withLock { $0.errors } }

    func write(_ text: String) { texts.withLock { $0.output += text } }
    func error(_ text: String) { texts.withLock { $0.errors += text } }
  }

  /// Returns the context of a command that writes to recorded output.
  func context(
    _ recorded: RecordedOutput, variables: [String: String] = [:],
    cancellation: Cancellation = .never, _ writeError: Int32 = 0, hasColour: Bool = false,
    version: String = perfkitVersion
  ) -> Context {
    Context(
      console: Console(
        output: { bytes in
          recorded.write(String(decoding: bytes, as: UTF8.self))
          return writeError
        }, errors: recorded.error, hasColour: hasColour),
      workspace: Workspace(
        variables: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""].merging(variables) {
          _, own in own
        },
        workingDirectory: folder.path, programDirectory: Self.programs, version: version,
        isCancelled: cancellation.isRequested))
  }

  /// Writes a scenario file into the folder.
  func scenario(_ name: String, _ text: String) throws {
    try text.write(toFile: folder("Scenarios/\(name).yml"), atomically: true, encoding: .utf8)
  }
}

extension TestRepository {
  /// The command, run in the repository.
  var perfkit: TestCommand { TestCommand(in: folder) }

  /// Reads the verdict of the latest gate.
  func verdict() throws -> [String: Any] {
    try jsonObject(folder.text(".perfkit/verdict.json"))
  }
}
