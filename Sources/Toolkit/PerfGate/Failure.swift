/// An error with a message for the user and an exit status.
public struct Failure: Error, CustomStringConvertible {
  /// The message: what failed, on which object, why, and what to do next.
  public let message: String
  /// The exit status of the program.
  public let status: ExitStatus

  /// Creates a failure.
  public init(_ message: String, status: ExitStatus = .failed) {
    self.message = message
    self.status = status
  }

  /// Creates a failure from any error, whose description becomes the message.
  public init(_ error: any Error) {
    self = error as? Failure ?? Failure("\(error)")
  }

  /// The message.
  public var description: String { message }
}
