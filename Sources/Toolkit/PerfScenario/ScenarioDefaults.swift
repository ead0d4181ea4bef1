internal import Foundation
internal import PerfModel

/// What `perfkit.yml` says for the scenarios of its tree that do not say it themselves.
struct ScenarioDefaults: Hashable {
  /// The worker; a path counts from the folder of the scenario.
  var worker: Scenario.Worker?
  /// What gates, and by which margins.
  var gate = GateText()

  /// Says nothing.
  init() {}

  /// Looks for the `perfkit.yml` above a scenario file, no higher than the root of its checkout.
  ///
  /// The scenarios of a revision go by the file of the same revision.
  ///
  /// - Throws: `ScenarioError` when it is there and something in it is wrong.
  init(above scenario: String) throws(ScenarioError) {
    let file = URL(fileURLWithPath: scenario).standardizedFileURL
    var folder = file.deletingLastPathComponent()
    var way = ""
    while true {
      let path = folder.appendingPathComponent(ProjectFile.name).path
      if FileManager.default.fileExists(atPath: path) {
        let project = try ProjectFile(text: ScenarioText.read(path), path: path)
        gate = project.gateText
        worker = project.worker
        if case .path(let place) = project.worker, !place.hasPrefix("/") {
          worker = .path(way + place)
        }
        return
      }
      let isRoot = FileManager.default.fileExists(
        atPath: folder.appendingPathComponent(".git").path)
      guard !isRoot, folder.path != "/" else { return }
      folder.deleteLastPathComponent()
      way += "../"
    }
  }
}
