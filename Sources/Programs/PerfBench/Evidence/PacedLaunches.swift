internal import Foundation
internal import PerfModel

/// Launches of one unchanged program one after the other, with the CPU's pace right before each.
struct PacedLaunches: Codable {
  /// Where they were made.
  let machine: String
  /// Milliseconds of each launch, by metric.
  let times: [String: [Double]]
  /// Milliseconds of the loop that tells the pace.
  let paces: [Double]

  private static let path = "Reports/data/paced-launches.json"

  /// Reads the recording.
  static func read() throws -> PacedLaunches {
    try JSONDecoder().decode(PacedLaunches.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Makes launches as `perfkit diff` does, and keeps them.
  ///
  /// - Throws: `BenchError` when a launch lacks a time; what Foundation throws when they cannot be kept.
  static func record(_ count: Int, units: Int, machine: String) throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let setting = BenchWorkshop.Setting(name: "paced", rate: 1000, readsPace: true)
    let launches = try workshop.run(
      "bench.burn", worker: "BenchWorkloads", parameters: ["iterations": .int(units)],
      setting: setting, cache: nil, launches: count
    ).iterations
    func milliseconds(_ name: String) throws -> [Double] {
      let values = launches.compactMap { $0.metrics[name] }
      guard values.count == launches.count else {
        throw BenchError(description: "a launch has no \(name)")
      }
      return values.map { ($0 / 1000).rounded() / 1000 }
    }
    let recording = PacedLaunches(
      machine: machine,
      times: ["wall": try milliseconds("wall"), "cpu.total": try milliseconds("cpu.total")],
      paces: try milliseconds(MetricDefinition.pace))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    try (encoder.encode(recording) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
  }

  /// Returns a pair from a launch on; after the last launch comes the first.
  ///
  /// - Parameters:
  ///   - first: The number of its first launch.
  ///   - sides: For each launch whether it is one of the candidate.
  ///   - metric: Whose times are taken.
  ///   - factor: By how much the candidate's are longer.
  ///   - hasPace: Whether the paces are told as well.
  /// - Returns: Launches of both sides, with the values of `RuleStudy.metric`.
  func pair(
    from first: Int, sides: [Bool], metric: String, factor: Double, hasPace: Bool
  ) -> LaunchPair {
    let times = times[metric] ?? []
    var launches: [Bool: [LaunchPair.Values]] = [:]
    for (offset, isCandidate) in sides.enumerated() {
      let index = (first + offset) % times.count
      var values = [RuleStudy.metric.name: times[index] * (isCandidate ? factor : 1)]
      if hasPace { values[MetricDefinition.pace] = paces[index] }
      launches[isCandidate, default: []].append(values)
    }
    return LaunchPair(base: launches[false] ?? [], candidate: launches[true] ?? [])
  }
}
