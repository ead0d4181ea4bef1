internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// The share of covers that are present when their cells appear, and the frames meanwhile.
extension ModulesBench {
  /// A way to scroll down and up through a part of a library of a thousand books.
  private struct Way: Hashable {
    let name: String
    var prefetch = 20
    var nice = 19
    /// The speed in points per second; one flick reaches 4,000.
    var speed = 4_000.0
    /// The scrolled part of the list, so that a launch takes about six seconds.
    var reach = 0.2

    var parameters: Parameters {
      [
        "prefetch": .int(prefetch), "nice": .int(nice), "fling": .double(speed),
        "reach": .double(reach),
      ]
    }
  }

  private static let scrollRounds = 6

  func scroll(_ table: FigureTable) throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let cache = FileManager.default.currentDirectoryPath + "/.perfkit/data"
    let ahead = Way(name: "next 20")
    let others = [
      Way(name: "none ahead", prefetch: 0), Way(name: "next 20 at nice 0", nice: 0),
      Way(name: "next 20 at 12,000 points/s", speed: 12_000, reach: 0.5),
    ]
    var launches: [Way: [Launch]] = [:]
    // The first round makes and reads missing covers.
    for round in 0...min(rounds, Self.scrollRounds) {
      for way in ([ahead] + others).shuffled() {
        let launch = try workshop.launch(
          "book.scroll", worker: "BookWorkloads", parameters: way.parameters,
          // As in `perfkit run`, because frames are marks of the agent.
          setting: BenchWorkshop.Setting(name: way.name, rate: 1000), cache: cache, seed: 1)
        if round > 0 { launches[way, default: []].append(launch.launch) }
      }
    }
    func values(_ metric: String, _ way: Way) -> [Double] {
      (launches[way] ?? []).compactMap { $0.metrics[metric] }
    }
    func text(_ metric: String, _ dimension: PerfModel.Dimension, _ way: Way) throws -> String {
      try AuditSummary.text(values(metric, way), dimension)
    }
    func beside(_ metric: String, _ dimension: PerfModel.Dimension) throws -> String {
      try others.map { "\($0.name) \(try text(metric, dimension, $0))" }.joined(separator: "; ")
    }
    let hits = values(MetricName.cacheHitRatio, ahead)
    table.add(
      "scroll with 20 books prefetched, 120 Hz, covers present", target: ">= 95%",
      measured: try text(MetricName.cacheHitRatio, .ratio, ahead),
      peer: "case study: over 80 %; \(try beside(MetricName.cacheHitRatio, .ratio))",
      isMet: hits.median >= 0.95)
    let hitches = values(MetricName.frameHitchTimeRatio, ahead)
    table.add(
      "scroll with 20 books prefetched, hitch time", target: "<= 1 ms/s",
      measured: try text(MetricName.frameHitchTimeRatio, .timeRatio, ahead),
      peer: try beside(MetricName.frameHitchTimeRatio, .timeRatio),
      isMet: hitches.median <= 1)
    table.add(
      "scroll with 20 books prefetched, dropped frames",
      measured: try text(MetricName.frameDropped, .count, ahead),
      peer: "case study: 2 to 3; \(try beside(MetricName.frameDropped, .count))")
  }
}
