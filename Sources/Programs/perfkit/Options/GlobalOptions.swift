internal import ArgumentParser
internal import PerfReport
internal import PerfStore

/// The options that every verb knows.
struct GlobalOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The run store.", valueName: "path"))
  var store: String?

  @Flag(help: "Say only what was asked for.")
  var quiet = false

  @Flag(help: "Say more: a line for each launch, on a terminal too.")
  var verbose = false

  @Flag(name: .customLong("no-color"), help: "No colours, as with NO_COLOR.")
  var noColor = false

  /// The path of the run store: option, PERFKIT_STORE, or the default of the folder.
  func storePath(_ context: Context) -> String {
    context.absolute(
      store ?? context.variables["PERFKIT_STORE"] ?? ".perfkit/perfkit.sqlite")
  }

  /// Opens the run store to change it; unlike opening it to write a run, it must be there.
  ///
  /// - Throws: `StoreError`.
  func existingStore(_ context: Context) throws -> RunStore {
    _ = try RunStore(path: storePath(context), access: .reading)
    return try RunStore(path: storePath(context))
  }

  /// Whether text for the terminal may be coloured.
  func hasColour(_ context: Context) -> Bool {
    !noColor && context.variables["NO_COLOR", default: ""].isEmpty
      && context.variables["TERM"] != "dumb" && context.console.hasColour
  }

  /// Says something unless the user wants quiet.
  func say(_ line: String, _ context: Context) {
    if !quiet { context.console.error(line) }
  }

  /// Says what the reader of a result has to know, a line each, unless `--quiet` is on.
  ///
  /// - Parameters:
  ///   - warnings: One sentence each.
  ///   - context: The invocation.
  func warn(_ warnings: some Sequence<some CustomStringConvertible>, _ context: Context) {
    for warning in warnings { say("perfkit: warning: \(warning)", context) }
  }
}
