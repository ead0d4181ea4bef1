import Foundation
import PerfTestSupport
import Synchronization

@testable import perfkit

/// Runs the command in process, in a folder of its own.
final class TestCommand: Sendable {
  /// What came of a command line.
  struct Result {
    let status: ExitStatus
    let output: String
    let errors: String

    /// Whether errors hold a text, wherever its lines are broken.
    func says(_ text: String) -> Bool {
      errors.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(text)
    }
  }

  /// The folder that it runs in.
  let folder: TemporaryFolder

  init(named name: String? = nil) throws {
    folder = try TemporaryFolder(named: name)
    try FileManager.default.createDirectory(
      atPath: folder("Scenarios"), withIntermediateDirectories: true)
  }

  /// Whether the programs are those of a release build.
  static let hasReleasePrograms = ProcessInfo.processInfo.environment["PERFKIT_PROGRAMS"] != nil

  /// The folder of the built programs: PERFKIT_PROGRAMS, or where this test's own program lies.
  static let programs: String = {
    if let folder = ProcessInfo.processInfo.environment["PERFKIT_PROGRAMS"] { return folder }
    let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return ((own ?? "") as NSString).deletingLastPathComponent
  }()

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
    let said = Said()
    let context = context(
      said, variables: variables, cancellation: cancellation, writeError, hasColour: hasColour)
    let status = Perfkit.run(words, in: context)
    return Result(status: status, output: said.output, errors: said.errors)
  }

  /// What is written to a console.
  final class Said: Sendable {
    private let texts = Mutex((output: "", errors: ""))

    var output: String { texts.withLock { $0.output } }
    var errors: String { texts.withLock { $0.errors } }

    func write(_ text: String) { texts.withLock { $0.output += text } }
    func error(_ text: String) { texts.withLock { $0.errors += text } }
  }

  /// Where parts of the command run that are tested by themselves.
  func context(
    _ said: Said, variables: [String: String] = [:], cancellation: Cancellation = .never,
    _ writeError: Int32 = 0, hasColour: Bool = false
  ) -> Context {
    Context(
      console: Console(
        output: { bytes in
          said.write(String(decoding: bytes, as: UTF8.self))
          return writeError
        }, errors: said.error, hasColour: hasColour),
      variables: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""].merging(variables) {
        _, own in own
      },
      workingDirectory: folder.path, programDirectory: Self.programs, cancellation: cancellation)
  }

  /// Writes a scenario file into the folder.
  func scenario(_ name: String, _ text: String) throws {
    try text.write(toFile: folder("Scenarios/\(name).yml"), atomically: true, encoding: .utf8)
  }
}
