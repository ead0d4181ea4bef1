internal import ArgumentParser
internal import Foundation
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfStore

/// The options of every verb.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use this run store. Default: PERFKIT_STORE or .perfkit/perfkit.sqlite.", valueName: "path"))
  var store: String?

  @Flag(help: "Print results and errors only.")
  var quiet = false

  @Flag(help: "Print a line for each launch, and the parameters of listed workloads.")
  var verbose = false

  @Flag(name: .customLong("no-color"), help: "Print without colours, as with NO_COLOR.")
  var noColor = false

  /// Returns the absolute path of the run store: the option, PERFKIT_STORE, or the default.
  func storePath(_ context: Context) -> String {
    context.workspace.absolute(
      store ?? context.workspace.variables["PERFKIT_STORE"] ?? ".perfkit/perfkit.sqlite")
  }

  /// Opens an existing run store for reading.
  ///
  /// - Throws: `StoreError`; `noRuns` for an empty file.
  func readOnlyStore(_ context: Context) throws -> RunStore {
    let path = storePath(context)
    do {
      return try RunStore(path: path, access: .reading)
    } catch StoreError.missing where FileManager.default.fileExists(atPath: path) {
      throw StoreError.noRuns(path: path)
    }
  }

  /// Opens an existing run store for changes.
  ///
  /// - Throws: `StoreError`, also if the store does not exist.
  func existingStore(_ context: Context) throws -> RunStore {
    _ = try readOnlyStore(context)
    return try RunStore(path: storePath(context))
  }

  func hasColour(_ context: Context) -> Bool {
    let variables = context.workspace.variables
    return !noColor && variables["NO_COLOR", default: ""].isEmpty
      && variables["TERM"] != "dumb" && context.console.hasColour
  }

  /// Writes a line to standard error unless `--quiet` is given.
  func log(_ line: String, _ context: Context) {
    if !quiet { context.console.error(line) }
  }

  /// Writes the ids of unfinished runs that were not transferred, if there are any, as `log(_:_:)` does.
  func logSkipped(_ unfinished: [String], _ context: Context) {
    guard !unfinished.isEmpty else { return }
    log("skipped unfinished runs: \(unfinished.joined(separator: ", "))", context)
  }

  /// Writes warnings to standard error, a line each, unless `--quiet` is given.
  func warn(_ warnings: some Sequence<some CustomStringConvertible>, _ context: Context) {
    for warning in warnings { log("perfkit: warning: \(warning)", context) }
  }
}

extension RunStore {
  /// Returns the run that a reference names, as in `perfkit show --help`.
  ///
  /// - Throws: `StoreError` if the reference names no run or several.
  func run(_ reference: String, including contents: RunContents = .all) throws -> Run {
    try run(id: resolve(reference).id, including: contents)
  }
}
