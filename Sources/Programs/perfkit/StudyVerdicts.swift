internal import Foundation
internal import PerfClaims
internal import PerfGate
internal import PerfModel
internal import PerfScenario
internal import PerfStore

/// The case studies of a folder of scenarios, decided by the runs that `Scripts/claims` stored.
struct StudyVerdicts {
  /// The label of the runs of `Scripts/claims`.
  private static let label = "claims"

  /// The studies; none if the folder of scenarios has no claims.
  let studies: [ClaimStudy]
  private let runs: LatestRuns

  /// Reads the claims beside scenarios.
  ///
  /// - Parameters:
  ///   - scenarios: The folder of the scenarios, whose folder `claims` has the claims.
  ///   - global: The options with the run store.
  ///   - context: The surroundings.
  /// - Throws: `ScenarioError` for an invalid file, or `StoreError` for a store that cannot be read.
  init(scenarios: String, global: GlobalOptions, _ context: Context) throws {
    let folder = context.workspace.absolute(scenarios)
    studies =
      FileManager.default.fileExists(atPath: "\(folder)/claims")
      ? try ClaimsFile.studies(inFolder: "\(folder)/claims") : []
    let path = global.storePath(context)
    let isStored = !studies.isEmpty && FileManager.default.fileExists(atPath: path)
    var settings = MeasuringSettings()
    settings.scenarioFolder = folder
    runs = LatestRuns(
      store: isStored ? try RunStore(path: path, access: .reading) : nil, label: Self.label,
      measuring: Measuring(
        settings: settings, workspace: context.workspace, storePath: path, observe: { _ in }))
  }

  /// Decides the claims of a study, or only its headline numbers.
  ///
  /// - Throws: `StoreError`.
  func story(of study: ClaimStudy, isWhole: Bool = true) throws -> ClaimStory {
    try ClaimStory(study, isWhole: isWhole) { claim in
      try ClaimJudge.finding(
        of: claim, run: { try runs.latest(scenario: $0.scenario, variant: $0.variant) },
        changes: runs.changes)
    }
  }
}
