internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// Comparisons of `palette-extract` with more work in one function, counted by the command.
extension EvidenceBench {
  /// The function that does the additional work.
  private static let burning = "stir"
  private static let variant = "palette-slower"
  /// The parameters of `palette-extract`.
  private static let parameters: Parameters = [
    "width": .int(4000), "rounds": .int(1), "count": .int(3),
  ]

  func palette(_ table: FigureTable) throws {
    var record = try LiveRecord(file: record)
    let missing = record.missing(Self.variant, of: paletteComparisons)
    if !missing.isEmpty { try comparePalettes(missing, table, &record) }
    let entries = record.of(Self.variant)
    let found = entries.filter { $0.answer.combined == "regressed" }
    let named = found.count { $0.answer.culprit?.contains(Self.burning) == true }
    let seconds = entries.map(\.seconds)
    table.add(
      "palette-extract, --count: 1 % more work in one function of 5 %",
      target: "found and named in >= 98 % of >= 50, <= 60 s",
      measured: "found in \(found.count), named in \(named) of \(entries.count); "
        + "\(Self.text(Self.median(seconds))) s (median), \(Self.text(seconds.max())) s (longest)",
      peer: try Self.peers(
        entries.compactMap { $0.launches?.values(of: MetricName.wall) }, isSlower: true),
      isMet: entries.count >= 50 && Double(named) >= 0.98 * Double(entries.count)
        && seconds.allSatisfy { $0 <= 60 })
  }

  /// Makes the comparisons with these seeds.
  private func comparePalettes(
    _ seeds: Range<Int>, _ table: FigureTable, _ record: inout LiveRecord
  ) throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let perfkit = try workshop.program("perfkit")
    try burningScenario(workshop)
    for seed in seeds {
      try LiveDiff.withStore(seed) { store in
        // The covers depend on the seed of the command, so that it is constant.
        let diff = try LiveDiff(
          perfkit,
          [
            "--scenario", "palette-burn", "--scenarios", workshop.file(""), "--variant", "base",
            "--variant", "slower", "--count",
          ], store: store, output: workshop.file("palette.json"))
        try record.add(
          LiveRecord.Entry(
            variant: Self.variant, seed: seed, date: table.now, commit: table.commit,
            machine: table.machine, seconds: diff.seconds,
            answer: LiveRecord.Answer(diff.answer), function: Self.burning,
            launches: LiveRecord.Launches(
              [MetricName.wall], perPair: diff.answer.launchesPerPair ?? 1, inStoreAt: store)))
      }
    }
  }

  /// Writes the scenario, in which the function has 5 % of the work, and 20 % more when slower.
  private func burningScenario(_ workshop: BenchWorkshop) throws {
    func instructions(burn: Int) throws -> Double {
      let run = try workshop.count(
        "book.palette", worker: "BookWorkloads",
        parameters: Self.parameters.merging(["burn": .int(burn)]) { $1 }, launches: 1)
      return try Quantiles.median(of: run.values(of: MetricName.workInstructions))
    }
    let steps = 10_000_000
    let rest = try instructions(burn: 0)
    let step = (try instructions(burn: steps) - rest) / Double(steps)
    let burn = Int(rest / 19 / step)
    let text = """
      scenario: palette-burn
      summary: palette-extract with a function that can be slowed.
      workload: book.palette
      worker: \(try workshop.program("BookWorkloads"))
      parameters: { \(Self.parameters.map { "\($0): \($1)" }.sorted().joined(separator: ", ")) }
      variants:
        base: { burn: \(burn) }
        slower: { burn: \(burn * 6 / 5) }
      default_variant: base
      iterations: 6
      warmup: 1
      timeout: 60s
      profile: { rate: 1000 }
      gate:
        margin: 5%
        metrics: { palette.time: {}, palette.distance: { margin: 1% } }
      """
    try text.write(toFile: workshop.file("palette-burn.yml"), atomically: true, encoding: .utf8)
  }
}
