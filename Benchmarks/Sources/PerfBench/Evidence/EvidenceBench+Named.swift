internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// Functions named in the profiles of launches made now by the command.
extension EvidenceBench {
  /// Samples per second: 160 launches of 60 ms are 33,000 samples per side.
  private static let rate = 3500
  /// The largest number of pairs of a comparison.
  ///
  /// The speed of the launches is part of the noise, like the number of their samples, so 44
  /// launches with four times the samples would not suffice.
  private static let pairs = LookSchedule.usualPairs
  private static let slowed = "sort"

  func named(_ table: FigureTable) throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let text = """
      scenario: functions
      summary: Twelve functions, of which one becomes slower.
      workload: bench.functions
      worker: \(try workshop.program("BenchWorkloads"))
      variants:
        base: {}
        same: {}
        slower: { slower: 20 }
      default_variant: base
      iterations: 6
      warmup: 0
      timeout: 60s
      profile: { rate: \(Self.rate) }
      gate: { margin: 3%, metrics: { cpu.total: {} } }
      """
    try text.write(toFile: workshop.file("functions.yml"), atomically: true, encoding: .utf8)
    let slower = try diffs("slower", workshop)
    let right = slower.count { Self.names($0).contains { $0.isSlowed && $0.difference > 0 } }
    let wrong = slower.count { Self.names($0).contains { !$0.isSlowed } }
    table.add(
      "one function of 12 with 5 % of the time becomes 20 % slower, \(Self.samples(slower)) samples per side",
      target: "named in >= 95 %, others in <= 5 %",
      measured: "named in \(right) of \(slower.count), others in \(wrong)",
      isMet: 20 * right >= 19 * slower.count && 20 * wrong <= slower.count)
    let same = try diffs("same", workshop)
    let alarms = same.count { !Self.names($0).isEmpty }
    table.add(
      "no function changes, \(Self.samples(same)) samples per side",
      target: "any named in <= 5 %", measured: "\(alarms) of \(same.count)",
      isMet: 20 * alarms <= same.count)
  }

  private func diffs(_ variant: String, _ workshop: BenchWorkshop) throws -> [LiveDiff] {
    let perfkit = try workshop.program("perfkit")
    return try (0..<named).map { index in
      try LiveDiff(
        perfkit,
        [
          "--scenario", "functions", "--scenarios", workshop.file(""), "--variant", "base",
          "--variant", variant, "--seed", "\(index + 1)", "--min-pairs", "\(Self.pairs)",
        ], store: workshop.file("functions.sqlite"), output: workshop.file("functions.json"))
    }
  }

  /// Returns the functions whose self time changed significantly in a comparison.
  private static func names(_ diff: LiveDiff) -> [(isSlowed: Bool, difference: Double)] {
    diff.answer.functions.filter { $0.kind == "self" && $0.significant }
      .map { ($0.name.contains(".\(slowed)("), $0.difference) }
  }

  /// Returns the median number of samples per side, derived from the CPU time and the rate.
  private static func samples(_ diffs: [LiveDiff]) -> String {
    let counts = diffs.map { diff in
      let own = diff.answer.functions.filter { $0.kind == "self" }.reduce(0) { $0 + $1.base }
      let launches = (diff.answer.pairs ?? 0) * (diff.answer.launchesPerPair ?? 0)
      return own / 1e9 * Double(launches * rate)
    }
    return (try? Quantiles.median(of: counts)).map { NumberFormat.grouped(Int($0)) } ?? "no"
  }
}
