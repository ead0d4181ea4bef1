internal import Foundation

/// The command `perfkit`.
enum PerfkitProgram {
  private static let environment = ProcessInfo.processInfo.environment

  /// The path of this test program.
  static let testProgram =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""

  /// Whether the user wants no budgets judged.
  static var isOff: Bool { environment["PERFKIT"] == "off" }

  /// The places of the command, best first.
  private static var places: [String] {
    if let path = environment["PERFKIT"], !path.isEmpty { return [path] }
    let beside = (testProgram as NSString).deletingLastPathComponent
    let folders = [beside] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return folders.map { "\($0)/perfkit" }
  }

  /// Returns the path of the command.
  ///
  /// - Throws: `NotFound`.
  static func path() throws(NotFound) -> String {
    guard let path = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) })
    else {
      throw NotFound(wanted: environment["PERFKIT"])
    }
    return path
  }

  /// The error of a missing command.
  struct NotFound: Error, CustomStringConvertible {
    /// The path that PERFKIT names, or nil.
    let wanted: String?

    var description: String {
      let place = wanted.map { "PERFKIT names '\($0)', which is no program" } ?? "it is not in PATH"
      return """
        perfkit was not found: \(place). Install it, or set PERFKIT to its path; with PERFKIT=off \
        no budget is judged.
        """
    }
  }

  /// Runs the command and waits for its end.
  ///
  /// - Parameters:
  ///   - arguments: The words after the program's name.
  ///   - variables: Changes of this process's environment.
  ///   - folder: An existing folder for the output.
  /// - Returns: The exit status and the text of standard output and of standard error.
  /// - Throws: `NotFound`, or a file error.
  static func run(
    _ arguments: [String], variables: [String: String], folder: URL
  ) async throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try path())
    process.arguments = arguments
    process.environment = environment.merging(variables) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    let files = ["output", "errors"].map { folder.appendingPathComponent($0) }
    for file in files { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        continuation.resume(throwing: error)
      }
    }
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return (process.terminationStatus, texts[0], texts[1])
  }
}
