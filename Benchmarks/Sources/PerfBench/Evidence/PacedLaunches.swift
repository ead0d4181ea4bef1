internal import Foundation
internal import PerfModel

/// Consecutive launches of one unchanged program, with the CPU's pace measured before each.
struct PacedLaunches: Codable {
  /// The machine of the recording.
  let machine: String
  /// The time of each launch in milliseconds, by metric.
  let times: [String: [Double]]
  /// The time of each pace loop in milliseconds, by metric.
  let paces: [String: [Double]]

  /// A program whose launches are recorded.
  enum Program: String, CaseIterable {
    /// One loop of dependent steps, like the first pace loop.
    case burn
    /// Reads two covers of 24 megapixels and counts their colours.
    case palette

    /// The compared time metrics.
    var metrics: [String] {
      switch self {
      case .burn: [MetricName.wall, MetricName.cpuTotal]
      case .palette: ["palette.time", MetricName.cpuTotal]
      }
    }

    fileprivate var path: String { "Reports/data/paced-\(rawValue).json" }
  }

  /// The number of launches.
  var count: Int { times.values.first?.count ?? 0 }

  /// Reads the recording of a program.
  static func read(_ program: Program) throws -> PacedLaunches {
    try JSONDecoder().decode(
      PacedLaunches.self, from: Data(contentsOf: URL(fileURLWithPath: program.path)))
  }

  /// Makes launches like `perfkit diff` and stores them.
  ///
  /// - Throws: `BenchError` when a launch lacks a metric, or Foundation's error for an unwritable
  ///   file.
  static func record(_ program: Program, _ count: Int, units: Int, machine: String) throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let setting = BenchWorkshop.Setting(name: "paced", rate: 1000, readsPace: true)
    let launches =
      switch program {
      case .burn:
        try workshop.run(
          "bench.burn", worker: "BenchWorkloads", parameters: ["iterations": .int(units)],
          setting: setting, cache: nil, launches: count
        ).launches
      case .palette:
        try workshop.run(
          "book.palette", worker: "BookWorkloads",
          parameters: ["count": .int(2), "rounds": .int(1)], setting: setting,
          cache: FileManager.default.currentDirectoryPath + "/.perfkit/data", launches: count,
          seed: 1
        ).launches
      }
    func milliseconds(_ name: String) throws -> [Double] {
      let values = launches.compactMap { $0.metrics[name] }
      guard values.count == launches.count else {
        throw BenchError(description: "a launch of \(program.rawValue) has no metric '\(name)'")
      }
      return values.map { ($0 / 1000).rounded() / 1000 }
    }
    let recording = PacedLaunches(
      machine: machine,
      times: try Dictionary(
        uniqueKeysWithValues: program.metrics.map { ($0, try milliseconds($0)) }),
      paces: try Dictionary(
        uniqueKeysWithValues: MetricName.paces.map { ($0, try milliseconds($0)) }))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    try (encoder.encode(recording) + Data("\n".utf8)).write(to: URL(fileURLWithPath: program.path))
  }

  /// Returns a pair of launches from an index on; the recording is treated as a ring.
  ///
  /// - Parameters:
  ///   - first: The index of the first launch.
  ///   - sides: For each launch, whether it belongs to the candidate.
  ///   - metric: The time metric.
  ///   - factor: The slowdown of the candidate.
  ///   - readings: The pace metrics to include.
  /// - Returns: Launches of both sides.
  func pair(
    from first: Int, sides: [Bool], metric: String, factor: Double, readings: [String]
  ) -> LaunchPair {
    let times = times[metric] ?? []
    var launches: [Bool: [LaunchPair.Values]] = [:]
    for (offset, isCandidate) in sides.enumerated() {
      let index = (first + offset) % times.count
      var values = [metric: times[index] * (isCandidate ? factor : 1)]
      for name in readings { values[name] = paces[name]?[index] }
      launches[isCandidate, default: []].append(values)
    }
    return LaunchPair(base: launches[false] ?? [], candidate: launches[true] ?? [])
  }
}
