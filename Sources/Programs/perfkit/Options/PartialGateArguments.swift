internal import ArgumentParser
internal import PerfGate

/// The files of a gate's verdicts, read from a command line that may be wrong otherwise.
private struct PartialGateArguments: ParsableArguments {
  @OptionGroup
  var files: GateOutputs

  @Argument(parsing: .allUnrecognized)
  var others: [String] = []
}

extension GateOutputs {
  /// Writes a failure into the files of a wrong command line, unless it asks for a plan.
  ///
  /// - Parameters:
  ///   - failure: The error of the command line.
  ///   - arguments: The arguments after the verb. If they do not name files, the default file is written.
  ///   - context: The context with the console.
  static func write(_ failure: Failure, for arguments: [String], _ context: Context) {
    guard !arguments.contains("--dry-run"),
      let read = (try? PartialGateArguments.parse(arguments))
        ?? (try? PartialGateArguments.parse([]))
    else { return }
    read.files.write(failure, context)
  }
}
