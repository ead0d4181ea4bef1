internal import Foundation
internal import PerfModel

/// The defaults of `perfkit.yml` for the scenarios of its tree.
struct ScenarioDefaults: Hashable {
  /// The worker; a path is relative to the folder of the scenario.
  var worker: Scenario.Worker?
  var gate = GateText()

  init() {}

  /// Reads the nearest `perfkit.yml` above a scenario file, up to the root of its checkout.
  ///
  /// Scenarios of a revision use the file of the same revision.
  ///
  /// - Throws: `ScenarioError` if the file exists and is invalid.
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
