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
    var launch = WorkerProcess.Configuration(
      path: path, arguments: Self.arguments, environment: variables, descriptors: [],
      directory: directory)
    channel.prepare(&launch)
    let process = try WorkerProcess(launch)
    let deadline = SystemCalls.now() + 60_000_000_000
    var ending: WorkerProcess.Ending?
    while ending == nil, SystemCalls.now() < deadline, !isCancelled() {
      ending = process.waitForEnd(deadline: min(deadline, SystemCalls.now() + 100_000_000))
    }
    func noSuite(_ reason: String) -> RunnerError {
      .noSuite(path: path, reason: reason, output: process.lastOutput())
    }
    switch ending {
    case .exited(0): break
    case .exited(let code): throw noSuite("it exited with \(code)")
    case .signalled(let signal): throw noSuite("\(Launch.Status.signalName(signal)) ended it")
    case nil: throw noSuite("it did not answer within a minute")
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
    guard !found.isEmpty else { throw noSuite("it lists no benchmark") }
    return found
  }
}
