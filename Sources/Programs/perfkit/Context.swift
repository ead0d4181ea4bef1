internal import Foundation
internal import PerfModel

/// Where a verb runs and what it may use; tests make their own.
struct Context: Sendable {
  /// Where it writes to.
  var console: Console
  /// The environment variables.
  var variables: [String: String]
  /// The folder that relative paths count from.
  var workingDirectory: String
  /// The folder of the program itself; workers and the agent lie beside it.
  var programDirectory: String
  /// Whether the user wants to stop.
  var cancellation: Cancellation
  /// The words of the command line, for "how to make this again".
  var arguments: [String] = []

  /// The wall clock.
  func now() -> Timestamp {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }

  /// Looks for something with git, which the user's stop ends as it ends everything else.
  ///
  /// - Parameter look: Asks a checkout that knows of the stop.
  /// - Returns: What it found.
  /// - Throws: What it throws; `CancellationError` once the user wants to stop, since what was found by then may
  ///   be missing for that alone.
  func unlessStopped<Value>(_ look: () throws -> Value) throws -> Value {
    let found = Result { try look() }
    guard !cancellation.isRequested() else { throw CancellationError() }
    return try found.get()
  }

  /// Returns a path that does not depend on the working directory.
  func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)"
  }

  /// Returns an absolute path as users write it: from the working directory where it lies in there.
  func shown(_ path: String) -> String {
    path.hasPrefix(workingDirectory + "/")
      ? String(path.dropFirst(workingDirectory.count + 1)) : path
  }
}
