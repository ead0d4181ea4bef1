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
  /// Writes a failure into the files of a wrong command line, else into the default file, unless a
  /// plan is requested.
  static func write(_ failure: Failure, for arguments: [String], _ context: Context) {
    guard !arguments.contains("--dry-run"),
      let read = (try? PartialGateArguments.parse(arguments))
        ?? (try? PartialGateArguments.parse([]))
    else { return }
    read.files.write(failure, context)
  }
}
