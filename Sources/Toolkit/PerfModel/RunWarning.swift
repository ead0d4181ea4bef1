/// A warning for the reader of a result, with a remedy.
public struct RunWarning: Hashable, Sendable, Codable, CustomStringConvertible {
  /// A dotted name that scripts can rely on, such as `sampler.rate_low`.
  public let code: String
  /// The problem, with its numbers.
  public let message: String
  /// The remedy; may be empty.
  public let remedy: String

  /// The code of the stack of a launch that a signal ended.
  public static let crashCode = "launch.crash"

  /// The code of a launch that a signal ended without leaving a stack.
  public static let noStackCode = "launch.no_stack"

  /// Whether it tells where a signal ended a launch.
  public var isOfCrash: Bool { [Self.crashCode, Self.noStackCode].contains(code) }

  /// The code of a launch that was killed at its time limit.
  public static let timedOutCode = "launch.timed_out"

  /// The code of a program that was built before its source changed.
  public static let outdatedCode = "program.outdated"

  /// The code of a program that was built anew during its run.
  public static let changedCode = "program.changed"

  /// Whether it tells that the run may not be of its commit's program.
  public var isOfProgram: Bool { [Self.outdatedCode, Self.changedCode].contains(code) }

  /// The code of a session that completed a run.
  public static let resumedCode = "run.resumed"

  /// Creates a warning.
  public init(code: String, message: String, remedy: String = "") {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// Returns the warning prefixed with a side, such as `base: 12 samples were dropped`.
  public func about(_ side: String) -> RunWarning {
    RunWarning(code: code, message: "\(side): \(message)", remedy: remedy)
  }

  /// The message followed by the remedy.
  public var description: String {
    guard !remedy.isEmpty else { return message }
    return message.hasSuffix(".") ? "\(message) \(remedy)" : "\(message). \(remedy)"
  }
}
