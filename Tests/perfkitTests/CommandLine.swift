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
    writeError: Int32 = 0
  ) -> Result {
    let output = Mutex("")
    let errors = Mutex("")
    let context = Context(
      console: Console(
        output: { bytes in
          output.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
          return writeError
        },
        errors: { text in errors.withLock { $0 += text } }),
      variables: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""].merging(variables) {
        _, own in own
      },
      workingDirectory: folder.path, programDirectory: Self.programs, cancellation: cancellation)
    let status = Perfkit.run(words, in: context)
    return Result(
      status: status, output: output.withLock { $0 }, errors: errors.withLock { $0 })
  }

  /// Writes a scenario file into the folder.
  func scenario(_ name: String, _ text: String) throws {
    try text.write(toFile: folder("Scenarios/\(name).yml"), atomically: true, encoding: .utf8)
  }
}
