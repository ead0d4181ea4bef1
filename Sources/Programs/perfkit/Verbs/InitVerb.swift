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
      Python. Writes perfkit.yml, a scenario and the missing lines of .gitignore. The scenario is \
      written to the folder that an existing perfkit.yml names, else to Scenarios. A Swift library \
      gets a package with a worker, in \(WorkerTemplate.folder). That package depends on PerfKit as \
      the library does, else on the installed PerfKit. Existing files are not changed, except \
      .gitignore.

      In the root of a git repository, it also writes a CI file: .github/workflows/perfkit.yml if \
      the host of a remote contains 'github', else .gitlab-ci.yml if one contains 'gitlab'. Elsewhere \
      it prints why there is none.

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

  @OptionGroup(title: "Output")
  var reply: ReplyOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func perform(_ context: Context) throws -> ExitStatus {
    let folder = context.workspace.workingDirectory
    var draft = ProjectDraft(of: folder)
    if !command.isEmpty { draft.command = command }
    if let project = try ProjectFile.ofTree(folder) { draft.scenarios = project.scenarios }
    var drafts = [
      (ProjectFile.name, draft.projectText), (draft.scenarioPath, draft.scenarioText),
    ]
    let support = try draft.command == nil ? support(of: draft, context) : nil
    if let support {
      let worker = WorkerTemplate(
        library: draft.library, package: draft.packageName, support: support)
      drafts += worker.files.map { ($0.path, $0.text) }
    }
    var (checkout, refusal) = (GitCheckout?.none, RevisionError?.none)
    do {
      checkout = try context.workspace.checkout()
    } catch {
      refusal = error
    }
    let pipeline = try checkout.flatMap { try CIFile(remotes: $0.remotes()) }
    if let pipeline, checkout?.root == folder { drafts.append((pipeline.path, pipeline.text)) }
    var files: [FileEffect] = []
    do {
      for draft in drafts { files.append(try write(draft.1, to: draft.0, context)) }
      if let ignored = try ignoreResults(of: draft, context) { files.append(ignored) }
    } catch {
      // The written files are named before the failure.
      if reply.format == .text { context.console.write(files.map(\.line).joined()) }
      throw error
    }
    let steps = steps(draft, checkout, files)
    let notes =
      notes(root: checkout?.root, refusal, folder: folder, pipeline)
      + notes(on: pipeline, files, context) + notes(on: support, files)
      + notes(onCommandOf: draft, context)
    reply.write(
      files.map(\.line).joined() + advice(steps, context)
        + ReplyOptions.lines(of: notes, context),
      json: .object([
        "schema": "perfkit.init/1", "files": .array(files.map(\.json)),
        "next": .array(
          steps.map { .object(["command": .string($0.command), "effect": .string($0.effect)]) }),
        "notes": .array(notes.map(JSONValue.string)),
      ]), context)
    return .done
  }

  // MARK: - Files

  /// The effect of the verb on a file.
  private struct FileEffect {
    /// `wrote`, `kept` or `added`, for lines added to an existing file.
    let effect: String
    let path: String
    let line: String

    var json: JSONValue { .object(["path": .string(path), "effect": .string(effect)]) }
  }

  private func write(
    _ text: String, to path: String, _ context: Context
  ) throws -> FileEffect {
    let whole = context.workspace.absolute(path)
    guard !FileManager.default.fileExists(atPath: whole) else {
      let isSame = FileManager.default.contents(atPath: whole) == Data(text.utf8)
      return FileEffect(
        effect: "kept", path: path,
        line: "kept   \(path), which exists\(isSame ? "" : " with another text")\n")
    }
    try write(text, toFile: whole)
    return FileEffect(effect: "wrote", path: path, line: "wrote  \(path)\n")
  }

  private func write(_ text: String, toFile path: String) throws {
    do {
      try DocumentFile.write(text, to: path)
    } catch .cannotWrite(let path, let reason) {
      throw Failure(
        "cannot write '\(path)': \(reason). Correct this, or call init in another folder.")
    }
  }

  /// Returns the package with the library PerfWorkload, for the worker of a Swift library.
  private func support(of draft: ProjectDraft, _ context: Context) throws -> PackageDependency {
    guard draft.kind == .swiftPackage else {
      throw Failure(
        "cannot find a program to measure in this \(draft.kind.rawValue). Name it: 'perfkit init "
          + "-- COMMAND'.", status: .usage)
    }
    if let dependency = draft.perfkit { return dependency }
    guard let path = context.workspace.finder.supportPackage else {
      throw Failure(
        "cannot find the package PerfWorkload, which measures a library. Let Package.swift depend "
          + "on PerfKit in a folder or repository 'perfkit', install perfkit with Scripts/install, or "
          + "name a program: 'perfkit init -- COMMAND'.")
    }
    return PackageDependency(path: path)
  }

  /// Adds the missing lines to `.gitignore`, or returns nil if none is missing.
  ///
  /// The lines are the store, reports except decisions and baselines, and built programs.
  private func ignoreResults(of draft: ProjectDraft, _ context: Context) throws -> FileEffect? {
    let path = context.workspace.absolute(".gitignore")
    let exists = FileManager.default.fileExists(atPath: path)
    guard let text = exists ? (try? String(contentsOfFile: path, encoding: .utf8)) : "" else {
      throw Failure(
        "cannot add lines to '\(path)': it cannot be read, or is not UTF-8. Make it readable, or move "
          + "it away.")
    }
    let known = Set(text.split(whereSeparator: \.isNewline).map(String.init))
    var lines =
      ([".perfkit/", "/Reports/*", "!/Reports/decisions/", "!/Reports/baselines/"] + draft.ignored)
      .filter { !known.contains($0) }
    if let program = builtProgram(of: draft, context),
      known.isDisjoint(with: [program, "/" + program, "./" + program])
    {
      lines.append("/" + program)
    }
    guard !lines.isEmpty else { return nil }
    let separator = text.isEmpty || text.hasSuffix("\n") ? "" : "\n"
    try write(text + separator + lines.joined(separator: "\n") + "\n", toFile: path)
    return FileEffect(
      effect: "added", path: ".gitignore",
      line: "added  \(Wording.count(lines.count, "line")) to .gitignore\n")
  }

  /// Returns the path of the program that a Makefile builds among its sources; nil for a script.
  ///
  /// A checkout does not restore the times of files. `make` would not build a tracked program again, and
  /// both sides of a comparison would run the same one.
  private func builtProgram(of draft: ProjectDraft, _ context: Context) -> String? {
    guard draft.kind == .make, let program = draft.command?.first, program.contains("/"),
      !program.hasPrefix("/")
    else { return nil }
    let parts = program.split(separator: "/").filter { $0 != "." }
    let path = context.workspace.absolute(program)
    guard !parts.contains(".."),
      !FileManager.default.fileExists(atPath: path) || RevisionBuild.isLinked(path)
    else { return nil }
    return parts.joined(separator: "/")
  }

  // MARK: - Advice

  private func steps(
    _ draft: ProjectDraft, _ checkout: GitCheckout?, _ files: [FileEffect]
  ) -> [(command: String, effect: String)] {
    var steps = draft.build.map { (command: Wording.command($0), effect: "builds the program") }
    // `run` does not take the folder from perfkit.yml.
    let place = draft.scenarios == ProjectFile().scenarios ? [] : ["--scenarios", draft.scenarios]
    steps.append(
      (Wording.command(["perfkit", "run", draft.scenarioName] + place), "measures it as it is"))
    if let checkout {
      // In a repository with commits, other untracked files may be built files, which must stay untracked.
      let hasCommits = (try? checkout.revision("HEAD")) != nil
      let names = hasCommits ? Wording.command(Self.places(files)) : "--all"
      steps.append(("git add \(names) && git commit", "keeps the files for comparisons"))
      steps.append(("perfkit diff", "compares your next change with HEAD"))
    }
    return steps
  }

  /// Returns the files in the project's folder, and its folders that contain the other files.
  private static func places(_ files: [FileEffect]) -> [String] {
    var places: [String] = []
    for file in files {
      let place = String(file.path.prefix { $0 != "/" })
      if !places.contains(place) { places.append(place) }
    }
    return places
  }

  /// Returns the reasons why there is no CI file, or no comparison of revisions.
  private func notes(
    root: String?, _ refusal: RevisionError?, folder: String, _ pipeline: CIFile?
  ) -> [String] {
    switch refusal {
    case nil: break
    case .notACheckout:
      return ["This folder is no git repository: `perfkit diff` and `perfkit gate` need one."]
    case let error?: return ["No CI file was written: \(error)"]
    }
    guard let root else { return [] }
    guard let pipeline else { return ["No remote of GitHub or GitLab: no CI file was written."] }
    guard root != folder else { return [] }
    let place = folder.hasPrefix(root + "/") ? String(folder.dropFirst(root.count + 1)) : folder
    return [
      "No CI file was written: \(pipeline.path) belongs in the root of the repository, and this folder "
        + "is '\(place)' in it. Add a job there that changes to '\(place)' and calls `perfkit gate`."
    ]
  }

  /// Returns what the CI file needs, or where the job for an existing file is.
  private func notes(
    on pipeline: CIFile?, _ files: [FileEffect], _ context: Context
  ) -> [String] {
    guard let pipeline, let file = files.first(where: { $0.path == pipeline.path }) else {
      return []
    }
    if file.effect == "wrote" {
      return [
        "The job in \(pipeline.path) needs perfkit in PATH: let it use an image that contains "
          + "perfkit, or install the Debian package of PerfKit's Scripts/package."
      ]
    }
    let text = try? String(
      contentsOfFile: context.workspace.absolute(pipeline.path), encoding: .utf8)
    guard text?.contains("perfkit gate") != true else { return [] }
    return [
      "\(pipeline.path) does not call `perfkit gate`. Add the job of \(pipeline.source) in "
        + "PerfKit's repository; Documentation/CI.md describes it."
    ]
  }

  /// Returns what other machines need to build a package that was written for this machine.
  private func notes(on support: PackageDependency?, _ files: [FileEffect]) -> [String] {
    let manifest = WorkerTemplate.manifestPath
    guard let path = support?.path,
      files.contains(where: { $0.path == manifest && $0.effect == "wrote" })
    else { return [] }
    return [
      "\(manifest) names '\(path)' of this machine. For CI and other machines, name the repository "
        + "of PerfKit instead, or install PerfKit at that path."
    ]
  }

  /// Returns what to do about a given command whose program does not exist and is not built by PerfKit.
  private func notes(onCommandOf draft: ProjectDraft, _ context: Context) -> [String] {
    let finder = context.workspace.finder
    guard let program = command.first, [.other, .python].contains(draft.kind),
      (try? finder.path(of: .command(command), directory: context.workspace.workingDirectory))
        == nil
    else { return [] }
    return [
      "There is no program '\(program)' yet. Build it, or correct the command in "
        + "\(draft.scenarioPath)."
    ]
  }

  private func advice(
    _ steps: [(command: String, effect: String)], _ context: Context
  ) -> String {
    let width = steps.map(\.command.count).filter { $0 <= 36 }.max() ?? 0
    var text = "\nNext\n"
    for (command, effect) in steps {
      let isShort = command.count <= width && width + effect.count + 6 <= context.width
      text +=
        isShort
        ? "  \(command.padding(toLength: width, withPad: " ", startingAt: 0))  \(effect)\n"
        : "  \(command)\n      \(effect)\n"
    }
    return text
  }
}
