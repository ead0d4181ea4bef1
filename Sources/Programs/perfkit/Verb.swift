internal import ArgumentParser
internal import PerfGate

/// A verb of the command.
protocol Verb: ParsableCommand {
  /// Performs the verb.
  ///
  /// - Returns: The exit status.
  /// - Throws: `Failure`, or an error whose description is a message for the user.
  func perform(_ context: Context) throws -> ExitStatus
}
