internal import ArgumentParser

/// The command line of a gate as far as it can be read when it is wrong: where the files are written.
struct GateWords: ParsableArguments {
  @OptionGroup
  var files: GateOutputs

  @Argument(parsing: .allUnrecognized)
  var others: [String] = []

  /// Writes that nothing could be judged, unless only a plan was asked for.
  ///
  /// - Parameters:
  ///   - failure: What is wrong with the command line.
  ///   - words: Those after the verb. Where the files cannot be read from them the default counts.
  ///   - context: Where it is written.
  static func write(_ failure: Failure, of words: [String], _ context: Context) {
    guard !words.contains("--dry-run"), let read = (try? parse(words)) ?? (try? parse([])) else {
      return
    }
    read.files.write(failure, context)
  }
}
