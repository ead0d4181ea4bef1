internal import ArgumentParser
internal import PerfModel

/// The option that keeps secrets out of the store.
struct RedactionOptions: ParsableArguments {
  @Option(
    name: .customLong("redact"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Store and print [redacted] in place of each match of this regular expression, e.g. "
        + "token=.*, in command lines, parameters and messages; repeatable.",
      valueName: "pattern"))
  var patterns: [String] = []

  /// The secrets that are not stored.
  var redaction: Redaction { (try? Redaction(patterns)) ?? Redaction.none }

  func validate() throws {
    do {
      _ = try Redaction(patterns)
    } catch {
      throw ValidationError("--redact: \(error).")
    }
  }
}
