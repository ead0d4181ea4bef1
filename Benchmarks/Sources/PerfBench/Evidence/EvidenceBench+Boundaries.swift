internal import PerfStatistics

/// The tables of `LookSchedule`.
extension EvidenceBench {
  /// The numbers of metrics in the tables.
  private static let metrics =
    Array(1...12) + [15, 20, 25, 30, 40, 50, 75, 100, 150, 200]
  private static let parts = 20

  /// Simulates the null hypothesis for each first look, and prints the levels as Swift code.
  func printBoundaries() {
    var left = Self.metrics
    for first in LookSchedule.firstLook...20 {
      let simulation = Self.simulate(first: first, runs: 3 * comparisons)
      var found: [(metrics: Int, level: Double)] = []
      // A level that this first look cannot reach belongs to a later one.
      while let metrics = left.first,
        let level = simulation.level(
          forError: RunComparer.alpha * LookSchedule.firstShare / Double(metrics)),
        LookSchedule.pairsNeeded(level) <= first
      {
        found.append((metrics, level))
        left.removeFirst()
      }
      for (metrics, level) in found {
        print("    Boundary(metrics: \(metrics), first: \(first), level: \(level)),")
      }
      let equivalence = LookSchedule.equivalenceError * LookSchedule.firstEquivalenceShare
      if !found.isEmpty, let level = simulation.level(forError: equivalence) {
        print("    \(first): \(level),")
      }
    }
  }

  private static func simulate(first: Int, runs: Int) -> NullSimulation {
    let looks = [first] + LookSchedule.pairs.filter { $0 > first }
    let parts = Parallel.map(parts) { part in
      var simulation = NullSimulation(looks: looks)
      var generator = SeededGenerator(seed: UInt64(first * 1000 + part))
      simulation.run(runs / Self.parts, &generator)
      return simulation
    }
    return parts.dropFirst().reduce(into: parts[0]) { $0.add($1) }
  }
}
