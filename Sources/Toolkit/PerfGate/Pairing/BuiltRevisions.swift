internal import Foundation
internal import PerfModel
public import PerfRunner
public import PerfScenario
internal import PerfStore

/// Two revisions of a repository, built.
public struct BuiltRevisions {
  let base: RevisionBuild
  let candidate: RevisionBuild
  /// The project file of the checkout, which counts for both revisions.
  let project: ProjectFile
  /// The folder of the scenario files, from the root.
  let folder: String
  let checkout: GitCheckout
  /// The base's files that count in place of the candidate's, by the scenario's name.
  var guarded: [String: ScenarioFile] = [:]
  /// The scenarios that changes cannot reach.
  var controls: [String]
  /// The lines that differ between both revisions; nil if unknown.
  private let hunks: SourceHunks?

  /// The names of base and candidate in a repository, resolved.
  public typealias Pair = (base: GitCheckout.Revision, candidate: GitCheckout.Revision)

  /// Builds two revisions.
  ///
  /// Both revisions and their scenarios are looked up before either is built: a typing error must not
  /// cost a build.
  ///
  /// - Parameters:
  ///   - measuring: The measurement, with its store and working directory.
  ///   - scenarios: The scenarios that both revisions must have.
  ///   - needsProject: Whether a repository without build instructions is refused.
  ///   - layouts: The number of links of each side with other layouts; nil for the build's own.
  ///   - project: Returns the project to build; nil for that of the working directory.
  ///   - find: Looks up base and candidate.
  /// - Throws: `RevisionError`, `StoreError`, `CancellationError`, the errors of `find`,
  ///   `ScenarioError.unknownScenario`, or `Failure` if the base lacks a scenario.
  public init(
    measuring: Measuring, scenarios: [String] = [], needsProject: Bool = true,
    layouts: Int? = nil, project: ((GitCheckout) throws -> ProjectFile)? = nil,
    find: (GitCheckout) throws -> Pair
  ) throws {
    let found = try FoundRevisions(
      measuring, needsProject: needsProject, project: project, find)
    try found.check(scenarios, measuring.workspace)
    try self.init(found, layouts: layouts ?? 0, measuring: measuring)
    for scenario in scenarios {
      try checkKnown(scenario)
      guard try !isNew(scenario) else { throw found.lacks(scenario) }
    }
  }

  /// Builds two revisions, outside of the time of `--max-time`.
  ///
  /// - Throws: `RevisionError`, `StoreError` if the store cannot be written, or `CancellationError`.
  private init(_ found: FoundRevisions, layouts: Int, measuring: Measuring) throws {
    (checkout, project, folder) = (found.checkout, found.project, found.folder)
    controls = project.controls
    let workspace = measuring.workspace
    // Opened before the build: a store that cannot be written must not cost a build.
    _ = try RunStore(path: measuring.storePath)
    let recipe = BuildRecipe(
      commands: project.build, products: project.products, toolchain: project.toolchain,
      place: project.place, link: project.link, layouts: layouts)
    guard layouts == 0 || recipe.canLink else {
      throw RevisionError.cannotLink(root: recipe.folder(in: checkout.root))
    }
    let builds = RevisionBuilds(
      of: checkout, recipe: recipe,
      folder: (measuring.storePath as NSString).deletingLastPathComponent + "/builds",
      variables: workspace.variables)
    func build(_ revision: GitCheckout.Revision) throws -> RevisionBuild {
      try builds.build(revision) { log in
        measuring.observe(.note("building \(revision.title); log: \(log)"))
      }
    }
    let built = try measuring.clock.excluding {
      (base: try build(found.base), candidate: try build(found.candidate))
    }
    base = built.base
    candidate = built.candidate
    hunks = try workspace.unlessStopped {
      try found.checkout.hunks(from: built.base.revision, to: built.candidate.revision)
    }
  }

  /// The scenario files of the candidate, which count for both sides unless `guarded` has another.
  var scenarios: ScenarioLibrary { library(candidate) }

  /// Checks that the candidate has a scenario.
  ///
  /// - Throws: `ScenarioError.unknownScenario` with the nearest name, or `Failure` if it has no scenarios.
  func checkKnown(_ scenario: String) throws {
    let known: [String]
    do {
      known = try scenarios.names()
    } catch .folder {
      throw Failure(
        "\(candidate.revision.title) has no folder '\(folder)' with scenarios. Choose revisions that "
          + "have it, or \(FoundRevisions.otherwise).")
    }
    guard known.contains(scenario) else {
      throw ScenarioError.unknownScenario(scenario, folder: folder, known: known)
    }
  }

  /// Returns whether the candidate has the file of a scenario.
  func hasFile(of scenario: String) -> Bool {
    Self.has(scenario, scenarios)
  }

  func isNew(_ scenario: String) throws -> Bool {
    !Self.has(scenario, ScenarioLibrary(folder: "\(base.tree)/\(baseFolder)"))
  }

  private static func has(_ scenario: String, _ library: ScenarioLibrary) -> Bool {
    // A revision without the folder lacks every scenario.
    ((try? library.names()) ?? []).contains(scenario)
  }

  /// The folder of the base's scenario files: the base's project file or the command line names it.
  var baseFolder: String {
    guard folder == project.place + project.scenarios else { return folder }
    return GateRules(tree: base.tree, place: project.place).folder
  }

  /// Returns the file of a scenario that counts for both sides, and the folder that its relative paths
  /// start from, from the root of the repository.
  ///
  /// - Throws: `ScenarioError`.
  func file(_ scenario: String) throws(ScenarioError) -> (file: ScenarioFile, folder: String) {
    if let file = guarded[scenario] { return (file, baseFolder) }
    return (try scenarios.file(scenario), folder)
  }

  /// Reads a scenario and finds its programs in both builds.
  ///
  /// - Parameters:
  ///   - scenario: The scenario's name.
  ///   - variant: The variant of both sides; nil for the default variant.
  ///   - measuring: Checks the scenario against both workers.
  /// - Returns: Both sides, ready to be measured.
  /// - Throws: `ScenarioError`, `RunnerError`, or `Failure` if the base's worker cannot run it.
  public func sides(
    of scenario: String, variant: String?, measuring: Measuring
  ) throws -> PairedSides {
    let (file, folder) = try file(scenario)
    do {
      return try sides(of: file, at: folder, variant: variant, measuring: measuring)
    } catch let error where guarded[scenario] != nil && !(error is CancellationError) {
      throw Failure(
        "\(Failure(error)) Both sides of '\(scenario)' are measured by the base's file. The gate names the "
          + "decision that accepts the candidate's file.")
    }
  }

  /// Finds the programs of a scenario in both builds.
  ///
  /// - Parameters:
  ///   - file: The scenario.
  ///   - earlier: The scenario of the base; nil for the same one.
  ///   - folder: The folder that relative paths start from, from the root of the repository.
  ///   - variant: The variant of both sides; nil for the default variant.
  ///   - measuring: Checks the scenario against both workers.
  /// - Returns: Both sides, ready to be measured.
  /// - Throws: `ScenarioError`, `RunnerError`, or `Failure` if the base's worker cannot run it.
  public func sides(
    of file: ScenarioFile, asOfBase earlier: ScenarioFile? = nil, at folder: String,
    variant: String? = nil, measuring: Measuring
  ) throws -> PairedSides {
    let current = try runnable(file, at: folder, in: candidate, measuring: measuring)
    try measuring.check(current, variant: variant)
    do {
      let before = try runnable(earlier ?? file, at: folder, in: base, measuring: measuring)
      try measuring.check(before, variant: variant)
      var sides = PairedSides(
        base: .init(runnable: before, variant: variant),
        candidate: .init(runnable: current, variant: variant))
      sides.isUnreached = try isUnreached(sides, measuring)
      sides.hunks = hunks
      return sides
    } catch let error as ScenarioError {
      throw Failure(
        "\(base.revision.title) cannot run the scenario by \(file.path): \(error)")
    }
  }

  /// Reads a scenario and finds its program in a build.
  func runnable(
    _ scenario: String, in build: RevisionBuild, measuring: Measuring
  ) throws -> RunnableScenario {
    let (file, folder) = try file(scenario)
    return try runnable(file, at: folder, in: build, measuring: measuring)
  }

  private func runnable(
    _ file: ScenarioFile, at folder: String, in build: RevisionBuild, measuring: Measuring
  ) throws -> RunnableScenario {
    var runnable = try measuring.runnable(
      file, finder: measuring.finder(products: build.products), folder: "\(build.tree)/\(folder)",
      build: build)
    try checkArguments(of: runnable, in: build)
    if !build.layouts.isEmpty {
      runnable.layouts = try build.links(of: runnable.program[0])
      runnable.program[0] = runnable.layouts[0]
    }
    return runnable
  }

  /// Refuses a command with a relative path that the checkout has and the revision's tree lacks.
  private func checkArguments(of runnable: RunnableScenario, in build: RevisionBuild) throws {
    func real(_ path: String) -> String {
      URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
    let tree = real(build.tree)
    guard runnable.worker == nil, let directory = runnable.surroundings.directory.map(real),
      directory == tree || directory.hasPrefix(tree + "/")
    else { return }
    let place = checkout.root + directory.dropFirst(tree.count)
    let files = FileManager.default
    // An option may contain its path, such as `--input=books.csv`.
    let paths = runnable.program.dropFirst().flatMap { word in
      [word] + word.split(separator: "=", maxSplits: 1).dropFirst().map(String.init)
    }
    for path in paths where !path.isEmpty && !path.hasPrefix("/") {
      guard files.fileExists(atPath: "\(place)/\(path)"),
        !files.fileExists(atPath: "\(directory)/\(path)")
      else { continue }
      throw RevisionError.notInTree(path: path, revision: build.revision.title)
    }
  }

  private func library(_ build: RevisionBuild) -> ScenarioLibrary {
    ScenarioLibrary(folder: "\(build.tree)/\(folder)")
  }
}
