internal import PerfRunner
internal import PerfScenario

/// Two existing revisions of a repository, before they are built.
struct FoundRevisions {
  let base: GitCheckout.Revision
  let candidate: GitCheckout.Revision
  /// The project of the working directory, which counts for both revisions.
  let project: ProjectFile
  /// The folder of the scenario files, from the root.
  let folder: String
  let checkout: GitCheckout

  /// Looks up two revisions, without building anything.
  ///
  /// - Parameters:
  ///   - measuring: The measurement, with its store and working directory.
  ///   - needsProject: Whether a repository without build instructions is refused.
  ///   - project: Returns the project; nil for that of the working directory.
  ///   - find: Looks up base and candidate.
  /// - Throws: `RevisionError`, `ScenarioError`, `CancellationError`, the errors of `find`, or `Failure`
  ///   for a folder of scenario files outside of the repository.
  init(
    _ measuring: Measuring, needsProject: Bool = true,
    project: ((GitCheckout) throws -> ProjectFile)? = nil,
    _ find: (GitCheckout) throws -> BuiltRevisions.Pair
  ) throws {
    let workspace = measuring.workspace
    let (checkout, revisions) = try workspace.unlessStopped {
      let checkout = try workspace.checkout(store: measuring.storePath)
      return (checkout, try find(checkout))
    }
    let found = try project?(checkout) ?? workspace.project(in: checkout)
    guard let project = found ?? (needsProject ? nil : ProjectFile.withoutBuild()) else {
      throw RevisionError.noProjectFile(root: checkout.root)
    }
    (base, candidate) = revisions
    self.checkout = checkout
    self.project = project
    folder = try measuring.settings.folder(of: project)
  }

  /// Refuses scenarios that are invalid or cannot be compared, as far as git knows before anything is
  /// built.
  ///
  /// A folder that git does not list, e.g. in a submodule, is checked after the build.
  ///
  /// - Throws: `ScenarioError`, for an unknown scenario with the nearest name, `RevisionError`,
  ///   `CancellationError`, or `Failure` if the base lacks a scenario.
  func check(_ scenarios: [String], _ workspace: Workspace) throws {
    guard !scenarios.isEmpty else { return }
    let (known, before) = try workspace.unlessStopped { (try names(candidate), try names(base)) }
    for scenario in scenarios {
      if !known.isEmpty, !known.contains(scenario) {
        throw ScenarioError.unknownScenario(scenario, folder: folder, known: known)
      }
      if !before.isEmpty, !before.contains(scenario) { throw lacks(scenario) }
      _ = try workspace.unlessStopped { try file(scenario) }
    }
  }

  /// Reads the scenario of the candidate, which counts for both sides; nil if git does not list it.
  func file(_ scenario: String) throws -> ScenarioFile? {
    let path = "\(folder)/\(scenario).yml"
    guard let text = try checkout.text(of: path, in: candidate) else { return nil }
    return try ScenarioFile(text: text, path: path) { other in
      (try? checkout.text(of: other, in: candidate)) ?? nil
    }
  }

  private func names(_ revision: GitCheckout.Revision) throws -> [String] {
    ScenarioLibrary.names(of: try checkout.files(in: folder, of: revision))
  }

  func lacks(_ scenario: String) -> Failure {
    Failure(
      "\(base.title) has no scenario '\(scenario)' to compare with. Choose a base that has it, or "
        + "\(Self.otherwise). If it is new, commit it: 'perfkit diff' compares the next change.")
  }

  /// How to measure revisions without scenario files.
  static let otherwise =
    "measure a command in both revisions with 'perfkit diff --command TEXT A B'"
}

extension MeasuringSettings {
  /// Returns the folder of the scenario files of a project, from the repository's root.
  ///
  /// - Throws: `Failure` for wrong usage if the folder is outside of the repository.
  func folder(of project: ProjectFile) throws -> String {
    guard let scenarioFolder else { return project.place + project.scenarios }
    guard !scenarioFolder.hasPrefix("/"), !scenarioFolder.split(separator: "/").contains("..")
    else {
      throw Failure(
        "--scenarios \(scenarioFolder) cannot be used here: each revision is measured with its own "
          + "scenario files. Pass a folder relative to the folder of perfkit.yml, without '..'.",
        status: .usage)
    }
    return project.place + scenarioFolder
  }
}
