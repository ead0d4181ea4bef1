internal import ArgumentParser
internal import Foundation
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario

/// The verb `perfkit init [-- COMMAND]`.
struct InitVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write the first perfkit.yml, scenario and CI file of a project.",
    usage: "perfkit init [<options>] [-- <command> ...]",
    discussion: """
      Looks at the files of the current folder: a Swift package, a Cargo package, CMake, a Makefile or \
      Python. Writes perfkit.yml, a scenario in Scenarios, the missing lines of .gitignore, and the \
      CI file of GitHub or GitLab, by the remote of the repository. A Swift library gets a package \
      with a worker, in \(WorkerTemplate.folder). Existing files are not changed, except .gitignore.

      COMMAND is the program to measure, from the current folder. Without it, the files of the \
      project must name a program.

      Example:
        perfkit init
        perfkit init -- ./build/import books.csv
      """)

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program to measure, and its arguments.", valueName: "command"))
  var command: [String] = []

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func perform(_ context: Context) throws -> ExitStatus {
    let folder = context.workspace.workingDirectory
    var draft = ProjectDraft(of: folder)
    if !command.isEmpty { draft.command = command }
    var drafts = [("perfkit.yml", draft.projectText)]
    let scenario = "Scenarios/\(draft.scenarioName).yml"
    drafts.append((scenario, draft.scenarioText))
    if draft.command == nil {
      guard draft.kind == .swiftPackage else {
        throw Failure(
          "cannot find a program to measure in this \(draft.kind.rawValue). Name it: 'perfkit init "
            + "-- COMMAND'.", status: .usage)
      }
      drafts += try worker(of: draft, context)
    }
    let checkout = try? context.workspace.checkout()
    let pipeline = try checkout.flatMap { try CIFile(remotes: $0.remotes()) }
    if let pipeline, checkout?.root == folder { drafts.append((pipeline.path, pipeline.text)) }
    for draft in drafts { try write(draft.1, to: draft.0, context) }
    try ignoreResults(of: draft, context)
    advise(draft, pipeline, hasCheckout: checkout != nil, context)
    return .done
  }

  // MARK: - Files

  private func write(_ text: String, to path: String, _ context: Context) throws {
    let whole = context.workspace.absolute(path)
    guard !FileManager.default.fileExists(atPath: whole) else {
      context.console.write("kept   \(path), which exists\n")
      return
    }
    try write(text, toFile: whole)
    context.console.write("wrote  \(path)\n")
  }

  private func write(_ text: String, toFile path: String) throws {
    do {
      try DocumentFile.write(text, to: path)
    } catch .cannotWrite(let path, let reason) {
      throw Failure("cannot write '\(path)': \(reason). Call init in a folder that you may change.")
    }
  }

  private func worker(
    of draft: ProjectDraft, _ context: Context
  ) throws -> [(String, String)] {
    guard let support = context.workspace.finder.supportPackage else {
      throw Failure(
        "cannot find the package PerfWorkload, which measures a library. Install perfkit with "
          + "Scripts/install, or name a program: 'perfkit init -- COMMAND'.")
    }
    return WorkerTemplate(library: draft.library, package: draft.packageName, support: support)
      .files.map { ($0.path, $0.text) }
  }

  /// Adds the missing lines to `.gitignore`: the store, reports except decisions and baselines, and the
  /// folder of built programs.
  private func ignoreResults(of draft: ProjectDraft, _ context: Context) throws {
    let path = context.workspace.absolute(".gitignore")
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let known = Set(text.split(whereSeparator: \.isNewline).map(String.init))
    let lines =
      ([".perfkit/", "/Reports/*", "!/Reports/decisions/", "!/Reports/baselines/"] + draft.ignored)
      .filter { !known.contains($0) }
    guard !lines.isEmpty else { return }
    let separator = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
    try write(text + separator + lines.joined(separator: "\n") + "\n", toFile: path)
    context.console.write("added  \(Wording.count(lines.count, "line", "lines")) to .gitignore\n")
  }

  // MARK: - Advice

  private func advise(
    _ draft: ProjectDraft, _ pipeline: CIFile?, hasCheckout: Bool, _ context: Context
  ) {
    var steps = draft.build.map { (command: Wording.command($0), effect: "builds the program") }
    steps.append(("perfkit run \(draft.scenarioName)", "measures it as it is"))
    if hasCheckout {
      steps.append(("git add --all && git commit", "keeps the files for comparisons"))
      steps.append(("perfkit diff", "compares your next change with HEAD"))
    }
    let width = steps.map(\.command.count).max() ?? 0
    var text = "\nNext\n"
    for (command, effect) in steps {
      let isShort = width + effect.count + 6 <= context.width
      text +=
        isShort
        ? "  \(command.padding(toLength: width, withPad: " ", startingAt: 0))  \(effect)\n"
        : "  \(command)\n      \(effect)\n"
    }
    if !hasCheckout {
      text += "This folder is no git repository: `perfkit diff` and `perfkit gate` need one.\n"
    } else if pipeline == nil {
      text += "No remote of GitHub or GitLab: no CI file was written.\n"
    }
    context.console.write(text)
  }
}
