internal import ArgumentParser
internal import PerfGate
internal import PerfModel

/// A verb of the command.
protocol Verb: ParsableCommand {
  /// The secrets that messages do not contain.
  var secrets: Redaction { get }

  /// Performs the verb.
  ///
  /// - Returns: The exit status.
  /// - Throws: `Failure`, or an error whose description is a message for the user.
  func perform(_ context: Context) throws -> ExitStatus
}

extension Verb {
  var secrets: Redaction { .none }
}
