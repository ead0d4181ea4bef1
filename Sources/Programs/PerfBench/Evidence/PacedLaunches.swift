internal import Foundation
internal import PerfModel

/// Launches of one unchanged program one after the other, with the CPU's pace right before each.
struct PacedLaunches: Codable {
  /// Where they were made.
  let machine: String
  /// Milliseconds of each launch, by metric.
  let times: [String: [Double]]
  /// Milliseconds of each loop that tells the pace, by metric.
  let paces: [String: [Double]]

  /// A program whose launches are recorded.
  enum Program: String, CaseIterable {
    /// One loop whose steps wait for one another, as the pace's own first loop does.
    case burn
    /// Two covers of 24 megapixels are read and their colours counted.
    case palette

    /// Its times that are compared.
    var metrics: [String] {
      switch self {
      case .burn: [MetricName.wall, MetricName.cpuTotal]
      case .palette: ["palette.time", MetricName.cpuTotal]
      }
    }

    fileprivate var path: String { "Reports/data/paced-\(rawValue).json" }
  }

  /// How many launches there are.
  var count: Int { times.values.first?.count ?? 0 }

  /// Reads the recording of a program.
  static func read(_ program: Program) throws -> PacedLaunches {
    try JSONDecoder().decode(
      PacedLaunches.self, from: Data(contentsOf: URL(fileURLWithPath: program.path)))
  }

  /// Makes launches as `perfkit diff` does, and keeps them.
  ///
  /// - Throws: `BenchError` when a launch lacks a time; what Foundation throws when they cannot be kept.
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
          parameters: ["covers": .int(2), "rounds": .int(1)], setting: setting,
          cache: FileManager.default.currentDirectoryPath + "/.perfkit/data", launches: count,
          seed: 1
        ).launches
      }
    func milliseconds(_ name: String) throws -> [Double] {
      let values = launches.compactMap { $0.metrics[name] }
      guard values.count == launches.count else {
        throw BenchError(description: "a launch has no \(name)")
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

  /// Returns a pair from a launch on; after the last launch comes the first.
  ///
  /// - Parameters:
  ///   - first: The number of its first launch.
  ///   - sides: For each launch whether it is one of the candidate.
  ///   - metric: Whose times are taken.
  ///   - factor: By how much the candidate's are longer.
  ///   - readings: Which readings of the pace are told as well.
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
