internal import Foundation

extension ProjectDraft {
  /// The text of `perfkit.yml`.
  public var projectText: String {
    var lines = [
      "# How perfkit builds a revision of this project: the commands run in the project's folder."
    ]
    switch build.count {
    case 0: lines.append("build: [\"true\"]   # nothing is built")
    case 1: lines.append("build: \(Self.list(build[0]))")
    default: lines += ["build:"] + build.map { "  - \(Self.list($0))" }
    }
    lines.append("products: \(Self.word(products))")
    if !toolchain.isEmpty { lines.append("toolchain: \(Self.list(toolchain))") }
    lines.append("scenarios: \(Self.word(scenarios))")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The path of the scenario in the project.
  public var scenarioPath: String {
    (scenarioFolders + ["\(scenarioName).yml"]).joined(separator: "/")
  }

  /// The names of the nested folders that contain the scenario.
  private var scenarioFolders: [String] {
    scenarios.split(separator: "/").filter { $0 != "." }.map(String.init)
  }

  /// Returns the text of the scenario.
  ///
  /// - Returns: A scenario of the command, or of the worker of `WorkerTemplate` without a command.
  public var scenarioText: String {
    let name = scenarioName
    guard let command else {
      return """
        scenario: \(name)
        summary: Measures the workload \(WorkerTemplate.workload).
        workload: \(WorkerTemplate.workload)
        worker: \(WorkerTemplate.product)
        gate:
          margin: 2%
          metrics: { wall: {}, cpu.total: {} }

        """
    }
    return """
      scenario: \(name)
      summary: \(Self.word("Runs " + Self.line(command) + "."))
      # Choose arguments by which the program does what its users wait for, in 20 ms to 1 s.
      command: \(Self.list(command.enumerated().map { $0 == 0 ? fromScenarios($1) : $1 }))
      gate:
        margin: 2%
        metrics: { wall: {}, cpu.total: {} }

      """
  }

  /// Returns a program's path from the folder of the scenarios; names without a folder are in PATH.
  private func fromScenarios(_ program: String) -> String {
    guard program.contains("/"), !program.hasPrefix("/") else { return program }
    let up = scenarioFolders.isEmpty ? "./" : scenarioFolders.map { _ in "../" }.joined()
    return up + (program.hasPrefix("./") ? String(program.dropFirst(2)) : program)
  }

  /// Returns the start of a command in one line.
  private static func line(_ words: [String]) -> String {
    let text = words.joined(separator: " ").split(whereSeparator: \.isNewline).joined(
      separator: " ")
    return text.count > 60 ? text.prefix(57) + "..." : text
  }

  private static func list(_ words: [String]) -> String {
    "[" + words.map(word).joined(separator: ", ") + "]"
  }

  /// Returns a word as YAML; quoted if YAML could read it as something else.
  private static func word(_ text: String) -> String {
    let isPlain =
      text.wholeMatch(of: #/[A-Za-z.\/_-][A-Za-z0-9.\/_+=-]*/#) != nil
      && !["true", "false", "null", "yes", "no", "on", "off", ".", "-", "~"]
        .contains(text.lowercased())
    if isPlain { return text }
    guard text.contains(where: \.isNewline) else {
      return "'" + text.replacing("'", with: "''") + "'"
    }
    // JSON's strings are those of YAML in double quotes.
    let bytes = try? JSONEncoder().encode(text)
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
