import Foundation
import PerfModel
import PerfRunner
import PerfScenario
import PerfTestSupport
import Testing

@testable import perfkit

/// The contrast of the variants of the project's scenarios, as far as it is counted.
struct ScenarioContrastTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Scenarios").path

  /// Scenarios that claim no contrast: an example of a command, and one whose question is a cost.
  private static let withoutContrast: Set<String> = ["sort-lines", "self-overhead"]

  /// Parameters that replace photographs of several megapixels in the small sets.
  private static let smaller: [String: [String]] = [
    "palette-cache": ["sizes=small"]
  ]

  /// The variants that the counted expectations of a scenario need.
  private static func counted(
    _ file: ScenarioFile, _ worker: WorkerDescription
  ) throws -> [String] {
    guard case .product = file.scenario.worker else { return [] }
    let catalog = try file.checked(against: worker).catalog
    return file.scenario.expectations.filter { expectation in
      expectation.metrics.allSatisfy { catalog[$0]?.isDeterministic == true }
    }.flatMap(\.variants).uniqued()
  }

  @Test func `every scenario that compares variants states its contrast`() throws {
    for entry in try ScenarioLibrary(folder: Self.folder).entries() {
      let scenario = try entry.result.get().scenario
      #expect(
        scenario.expectations.isEmpty == Self.withoutContrast.contains(scenario.name),
        "\(scenario.name)")
    }
  }

  @Test func `the variants show their counted contrast at the small size`() throws {
    let perfkit = try TestCommand()
    try FileManager.default.removeItem(atPath: perfkit.folder("Scenarios"))
    try FileManager.default.createSymbolicLink(
      atPath: perfkit.folder("Scenarios"), withDestinationPath: Self.folder)
    let worker = try ScenarioRunner.describe(
      program: ["\(TestCommand.programs)/BookWorkloads"], isCancelled: { false })
    for entry in try ScenarioLibrary(folder: Self.folder).entries() {
      let variants = try Self.counted(entry.result.get(), worker)
      guard !variants.isEmpty else { continue }
      let sets = (Self.smaller[entry.name] ?? []).flatMap { ["--set", $0] }
      let result = perfkit.run(
        [
          "run", entry.name, "--quick", "--iterations", "1", "--warmup", "0", "--no-profile",
          "--no-report", "--format", "json",
        ] + variants.flatMap { ["--variant", $0] } + sets)
      let runs = try #require(
        JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]],
        "\(entry.name): \(result.errors)")
      for row in runs.flatMap({ $0["expectations"] as? [[String: Any]] ?? [] }) {
        let verdict = row["verdict"] as? String
        let isTimed = (row["note"] as? String)?.hasSuffix("needs the full parameter set") == true
        let isOther = (row["note"] as? String)?.hasPrefix("no run of") == true
        #expect(
          verdict == "kept" || verdict == "not measured" && (isTimed || isOther),
          "\(entry.name): \(row)")
      }
    }
  }
}
