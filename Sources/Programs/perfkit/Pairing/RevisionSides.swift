internal import Foundation
internal import PerfModel
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// Two revisions of the repository, built.
struct RevisionSides {
  /// What it was before.
  let base: RevisionBuild
  /// What it is now.
  let candidate: RevisionBuild
  /// How both are built and where their scenarios lie.
  let project: ProjectFile
  /// The repository.
  let checkout: GitCheckout

  /// Two revisions that are there, with all that it takes to build them.
  struct Found {
    let base: GitCheckout.Revision
    let candidate: GitCheckout.Revision
    /// The project file of the checkout, which counts for both.
    let project: ProjectFile
    let checkout: GitCheckout

    /// Refuses scenarios that cannot be compared, as far as it shows before anything is built.
    ///
    /// A revision whose folder git does not know, as one in a submodule, is asked once it is built.
    ///
    /// - Throws: `ScenarioError.unknownScenario` with the nearest name, `RevisionError`, `CancellationError`,
    ///   or `Failure` for one that the base lacks.
    fileprivate func check(_ scenarios: [String], _ context: Context) throws {
      guard !scenarios.isEmpty else { return }
      let (known, before) = try context.unlessStopped { (try names(candidate), try names(base)) }
      for scenario in scenarios {
        if !known.isEmpty, !known.contains(scenario) {
          throw ScenarioError.unknownScenario(scenario, folder: project.scenarios, known: known)
        }
        if !before.isEmpty, !before.contains(scenario) {
          throw RevisionSides.lacks(scenario, base)
        }
      }
    }

    private func names(_ revision: GitCheckout.Revision) throws -> [String] {
      ScenarioLibrary.names(of: try checkout.files(in: project.scenarios, of: revision))
    }
  }

  /// Finds two revisions, without building anything.
  ///
  /// - Parameters:
  ///   - measuring: With the command's folder and store.
  ///   - find: Returns base and candidate.
  /// - Returns: Both, as they can be built.
  /// - Throws: `RevisionError`, `ScenarioError`, `CancellationError`, or `Failure` for a folder of scenario
  ///   files that the command line names.
  static func find(
    _ measuring: Measuring,
    _ find: (GitCheckout) throws -> (base: GitCheckout.Revision, candidate: GitCheckout.Revision)
  ) throws -> Found {
    try measuring.options.checkRevisions()
    let context = measuring.context
    let (checkout, revisions) = try context.unlessStopped {
      let found = try GitCheckout(
        containing: context.workingDirectory, variables: context.variables,
        store: measuring.global.storePath(context), isCancelled: context.cancellation.isRequested)
      return (found, try find(found))
    }
    guard let project = try ProjectFile.ofTree(checkout.root) else {
      throw RevisionError.noProjectFile(root: checkout.root)
    }
    return Found(
      base: revisions.base, candidate: revisions.candidate, project: project, checkout: checkout)
  }

  /// Finds and builds two revisions.
  ///
  /// Both are found before either is built: a typing error must not cost a build.
  ///
  /// - Parameters:
  ///   - measuring: With the command's folder and store.
  ///   - scenarios: Those that both must have.
  ///   - find: Returns base and candidate.
  /// - Throws: As `find` and the building do; `ScenarioError.unknownScenario`, or `Failure` for a
  ///   scenario that the base lacks.
  init(
    measuring: Measuring, scenarios: [String] = [],
    find: (GitCheckout) throws -> (base: GitCheckout.Revision, candidate: GitCheckout.Revision)
  ) throws {
    let found = try Self.find(measuring, find)
    try found.check(scenarios, measuring.context)
    try self.init(found, measuring: measuring)
    for scenario in scenarios {
      try checkKnown(scenario)
      guard try !isNew(scenario) else { throw Self.lacks(scenario, found.base) }
    }
  }

  private static func lacks(_ scenario: String, _ base: GitCheckout.Revision) -> Failure {
    Failure("\(base.title) has no scenario '\(scenario)' to compare with.")
  }

  /// Builds two revisions, which takes nothing of `--max-time`.
  ///
  /// - Throws: `RevisionError`, `StoreError` where nothing could be kept of them, or
  ///   `CancellationError`.
  private init(_ found: Found, measuring: Measuring) throws {
    (checkout, project) = (found.checkout, found.project)
    let context = measuring.context
    let store = measuring.global.storePath(context)
    // A store that cannot be written must not cost a build either.
    _ = try RunStore(path: store)
    let builds = RevisionBuilds(
      of: checkout,
      recipe: BuildRecipe(
        commands: project.build, products: project.products, toolchain: project.toolchain),
      folder: (store as NSString).deletingLastPathComponent + "/builds",
      variables: context.variables, isCancelled: context.cancellation.isRequested)
    func build(_ revision: GitCheckout.Revision) throws -> RevisionBuild {
      try builds.build(revision) { log in
        measuring.global.say("building \(revision.title); its log is \(log)", context)
      }
    }
    let built = try measuring.clock.leavingOut {
      (base: try build(found.base), candidate: try build(found.candidate))
    }
    base = built.base
    candidate = built.candidate
  }

  /// The names of the scenarios that the candidate has.
  func names() throws -> [String] { try scenarios.names() }

  /// The scenario files of the candidate, which count for both.
  var scenarios: ScenarioLibrary { library(candidate) }

  /// Checks that the candidate has a scenario.
  ///
  /// - Throws: `ScenarioError.unknownScenario` with the nearest name.
  func checkKnown(_ scenario: String) throws {
    let known = try names()
    guard known.contains(scenario) else {
      throw ScenarioError.unknownScenario(scenario, folder: project.scenarios, known: known)
    }
  }

  /// Whether the base has a scenario of this name.
  func isNew(_ scenario: String) throws -> Bool {
    // A base without the folder has none of them.
    !((try? library(base).names()) ?? []).contains(scenario)
  }

  /// Reads a scenario of the candidate and finds its programs in both builds.
  ///
  /// - Parameters:
  ///   - scenario: Its name.
  ///   - variant: The variant of both sides; nil for the default one.
  ///   - measuring: Checks it against both workers.
  /// - Returns: Both sides, ready to be measured.
  /// - Throws: `ScenarioError`, `RunnerError`, or `Failure` when the base's worker does not know it.
  func sides(
    of scenario: String, variant: String?, measuring: Measuring
  ) throws -> PairedMeasuring.Sides {
    let current = try subject(of: scenario, in: candidate, measuring: measuring)
    try measuring.check(current, variant: variant)
    do {
      let earlier = try subject(of: scenario, in: base, measuring: measuring)
      try measuring.check(earlier, variant: variant)
      var sides = PairedMeasuring.Sides(
        base: .init(subject: earlier, variant: variant),
        candidate: .init(subject: current, variant: variant))
      sides.isUnreached = try isUnreached(
        earlier.program[0], current.program[0], measuring.context)
      return sides
    } catch let error as ScenarioError {
      throw Failure(
        "\(base.revision.title) cannot be measured by the scenario as it is now: \(error)")
    }
  }

  private func isUnreached(_ old: String, _ new: String, _ context: Context) throws -> Bool {
    UnreachedProgram(
      base: base, candidate: candidate,
      changed: try context.unlessStopped {
        try checkout.changedFiles(from: base.revision, to: candidate.revision)
      },
      scenarios: project.scenarios
    ).isUnreached(old, new)
  }

  /// Reads a scenario file of the candidate.
  func file(_ scenario: String) throws -> ScenarioFile { try scenarios.file(scenario) }

  /// Reads a scenario of the candidate and finds its program in a build.
  func subject(
    of scenario: String, in build: RevisionBuild, measuring: Measuring
  ) throws -> Measuring.Subject {
    try measuring.subject(
      try file(scenario), finder: measuring.finder(products: build.products),
      folder: library(build).folder, build: build)
  }

  private func library(_ build: RevisionBuild) -> ScenarioLibrary {
    project.library(ofTree: build.tree)
  }
}
