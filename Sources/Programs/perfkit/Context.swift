internal import PerfGate
internal import PerfReport

/// The console and the surroundings of a command; tests create their own.
struct Context: Sendable {
  var console: Console
  /// The folders, the environment variables and the request to stop.
  var workspace: Workspace

  /// The columns of the output: COLUMNS, the terminal's width, or 80.
  var width: Int { workspace.variables["COLUMNS"].flatMap(Int.init) ?? console.width ?? 80 }

  /// The words of the command line after the first `--`; nil if there are none.
  var commandWords: [String]? {
    let words = workspace.arguments.drop { $0 != "--" }.dropFirst()
    return words.isEmpty ? nil : Array(words)
  }

  /// Writes text to a file, whole or not at all, or to standard output for `-`.
  func write(_ text: String, to output: String) throws {
    let ending = output == "-" && !text.hasSuffix("\n") ? "\n" : ""
    try write(Array((text + ending).utf8), to: output)
  }

  /// Writes bytes to a file, whole or not at all, or to standard output for `-`.
  func write(_ bytes: [UInt8], to output: String) throws {
    guard output != "-" else { return console.write(bytes) }
    try DocumentFile.write(bytes, to: workspace.absolute(output))
  }
}
