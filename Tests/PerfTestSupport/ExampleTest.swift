internal import Foundation

/// A test of this program that runs only as the subject of another test, in a process of its own.
public struct ExampleTest: Sendable {
  /// Whether this process runs examples.
  public static let areWanted =
    ProcessInfo.processInfo.environment["PERFKIT_EXAMPLE_TESTS"] != nil

  /// The result of the test program.
  public struct Result: Sendable {
    /// The exit status; 0 if the test passed.
    public let status: Int32
    /// Standard output and standard error.
    public let output: String

    /// Returns whether the output contains a text, wherever its lines are broken.
    public func says(_ text: String) -> Bool {
      output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(text)
    }
  }

  private let filter: String

  /// Names an example.
  ///
  /// - Parameter filter: A regular expression that only the id of the example matches.
  public init(_ filter: String) { self.filter = filter }

  /// Runs the example.
  ///
  /// - Parameter variables: Changes of the environment; PERFKIT names the built command otherwise.
  /// - Returns: The result of the whole test program.
  /// - Throws: An error if the program cannot be started.
  public func run(_ variables: [String: String] = [:]) throws -> Result {
    let folder = try TemporaryFolder()
    try Data().write(to: URL(fileURLWithPath: folder("output")))
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: folder("output")))
    let process = Process()
    process.executableURL = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    process.arguments = ["--testing-library", "swift-testing", "--filter", filter]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "PERFKIT": "\(TestPrograms.folder)/perfkit", "PERFKIT_EXAMPLE_TESTS": "1",
    ]) { _, own in own }.merging(variables) { _, own in own }
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus,
      output: try String(contentsOfFile: folder("output"), encoding: .utf8))
  }
}
