internal import Foundation
internal import PerfModel

/// The defaults of `perfkit.yml` for the scenarios of its tree.
struct ScenarioDefaults: Hashable {
  /// The worker; a path is relative to the folder of the scenario.
  var worker: Scenario.Worker?
  var gate = GateText()
  /// The folder of the project's built workers; nil without a project.
  var products: String?
  /// The commands that build the project; none without a project.
  var build: [[String]] = []
  /// The folder of the project; nil without a project.
  var folder: String?

  init() {}

  /// Reads the nearest `perfkit.yml` above a scenario file, up to the root of its checkout.
  ///
  /// Scenarios of a revision use the file of the same revision.
  ///
  /// - Throws: `ScenarioError` if the file exists and is invalid.
  init(above scenario: String) throws(ScenarioError) {
    let file = URL(fileURLWithPath: scenario).standardizedFileURL
    let paths = ProjectFile.folders(from: file.deletingLastPathComponent().path).map {
      "\($0)/\(ProjectFile.name)"
    }
    try self.init(nearest: paths) { path throws(ScenarioError) in
      try FileManager.default.fileExists(atPath: path) ? ScenarioText.read(path) : nil
    }
  }

  /// Reads the first existing file.
  ///
  /// - Parameters:
  ///   - paths: The paths in the folder of the scenario and the folders above it, the nearest first.
  ///   - read: Returns the text of a file; nil if it does not exist.
  /// - Throws: `ScenarioError` if the file is invalid.
  init(
    nearest paths: [String], read: (String) throws(ScenarioError) -> String?
  ) throws(ScenarioError) {
    for (distance, path) in paths.enumerated() {
      guard let text = try read(path) else { continue }
      let project = try ProjectFile(text: text, path: path)
      gate = project.gateText
      let folder = (path as NSString).deletingLastPathComponent
      products = folder + "/" + project.products
      (build, self.folder) = (project.build, folder)
      worker = project.worker
      if case .path(let place) = project.worker, !place.hasPrefix("/") {
        worker = .path(String(repeating: "../", count: distance) + place)
      }
      return
    }
  }
}
