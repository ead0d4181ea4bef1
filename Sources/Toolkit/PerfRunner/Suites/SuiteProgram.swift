internal import Foundation
public import PerfModel

/// The program of a package-benchmark suite.
public struct SuiteProgram {
  /// The path of the program.
  public let path: String
  private let directory: String
  private let variables: [String: String]

  /// Creates a program.
  ///
  /// - Parameters:
  ///   - path: The absolute path of the program.
  ///   - directory: Its working directory.
  ///   - variables: Its environment variables.
  public init(path: String, directory: String, variables: [String: String]) {
    (self.path, self.directory, self.variables) = (path, directory, variables)
  }

  /// The arguments of a launch that receives its requests from PerfKit.
  public static let arguments = SuiteMessages.options

  /// Lists the benchmarks of the suite in their order.
  ///
  /// - Parameter isCancelled: Whether the user wants to stop.
  /// - Returns: The benchmarks; at least one.
  /// - Throws: `RunnerError.noSuite` if the program does not answer as a suite; `cannotStart` or `system`.
  public func benchmarks(
    isCancelled: @Sendable () -> Bool
  ) throws(RunnerError) -> [SuiteBenchmark] {
    let channel = try SuiteChannel(SuiteMessages.request("list") + SuiteMessages.request("end"))
    let run = try CommandRun(
      path, Self.arguments, in: directory, environment: variables,
      descriptors: channel.descriptors, seconds: 60, isCancelled: isCancelled)
    func noSuite(_ reason: String) -> RunnerError {
      .noSuite(
        path: path, reason: reason, output: run.output.isEmpty ? run.errors : run.output)
    }
    guard run.status == 0 else {
      throw noSuite(
        run.status.map { "it exited with \($0)" }
          ?? "a signal ended it, or it did not answer within a minute")
    }
    let target = (path as NSString).lastPathComponent
    let messages: [SuiteMessages.Message]
    do {
      messages = try channel.messages()
    } catch {
      throw noSuite(error.description)
    }
    let found = messages.filter { $0.kind == "list" }
      .compactMap { SuiteBenchmark($0.content, target: target) }
    guard !found.isEmpty else {
      let other = messages.first { !["list", "end"].contains($0.kind) }
      throw noSuite(
        other.map { "it sends '\($0.kind)' instead of its benchmarks" } ?? "it lists no benchmark")
    }
    return found
  }
}
