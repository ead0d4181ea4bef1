internal import Foundation
internal import PerfModel
public import PerfRunner
internal import PerfScenario
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
  ///   - find: Looks up base and candidate.
  /// - Throws: `RevisionError`, `StoreError`, `CancellationError`, the errors of `find`,
  ///   `ScenarioError.unknownScenario`, or `Failure` if the base lacks a scenario.
  public init(
    measuring: Measuring, scenarios: [String] = [], find: (GitCheckout) throws -> Pair
  ) throws {
    let found = try FoundRevisions(measuring, find)
    try found.check(scenarios, measuring.workspace)
    try self.init(found, measuring: measuring)
    for scenario in scenarios {
      try checkKnown(scenario)
      guard try !isNew(scenario) else { throw found.lacks(scenario) }
    }
  }

  /// Builds two revisions, outside of the time of `--max-time`.
  ///
  /// - Throws: `RevisionError`, `StoreError` if the store cannot be written, or `CancellationError`.
  private init(_ found: FoundRevisions, measuring: Measuring) throws {
    (checkout, project, folder) = (found.checkout, found.project, found.folder)
    let workspace = measuring.workspace
    // Opened before the build: a store that cannot be written must not cost a build.
    _ = try RunStore(path: measuring.storePath)
    let builds = RevisionBuilds(
      of: checkout,
      recipe: BuildRecipe(
        commands: project.build, products: project.products, toolchain: project.toolchain),
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
  }

  /// The scenario files of the candidate, which count for both sides.
  var scenarios: ScenarioLibrary { library(candidate) }

  /// Checks that the candidate has a scenario.
  ///
  /// - Throws: `ScenarioError.unknownScenario` with the nearest name.
  func checkKnown(_ scenario: String) throws {
    let known = try scenarios.names()
    guard known.contains(scenario) else {
      throw ScenarioError.unknownScenario(scenario, folder: folder, known: known)
    }
  }

  func isNew(_ scenario: String) throws -> Bool {
    // A base without the folder lacks every scenario.
    !((try? library(base).names()) ?? []).contains(scenario)
  }

  /// Reads a scenario of the candidate and finds its programs in both builds.
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
    let current = try runnable(scenario, in: candidate, measuring: measuring)
    try measuring.check(current, variant: variant)
    do {
      let earlier = try runnable(scenario, in: base, measuring: measuring)
      try measuring.check(earlier, variant: variant)
      var sides = PairedSides(
        base: .init(runnable: earlier, variant: variant),
        candidate: .init(runnable: current, variant: variant))
      sides.isUnreached = try isUnreached(
        earlier.program[0], current.program[0], measuring.workspace)
      return sides
    } catch let error as ScenarioError {
      throw Failure(
        "\(base.revision.title) cannot run the scenario as it is in the candidate: \(error)")
    }
  }

  /// Reads a scenario of the candidate and finds its program in a build.
  func runnable(
    _ scenario: String, in build: RevisionBuild, measuring: Measuring
  ) throws -> RunnableScenario {
    try measuring.runnable(
      try scenarios.file(scenario), finder: measuring.finder(products: build.products),
      folder: library(build).folder, build: build)
  }

  private func library(_ build: RevisionBuild) -> ScenarioLibrary {
    ScenarioLibrary(folder: "\(build.tree)/\(folder)")
  }
}
