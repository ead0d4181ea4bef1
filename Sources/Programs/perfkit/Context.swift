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

  /// Returns a path that does not depend on the working directory.
  func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)"
  }
}
