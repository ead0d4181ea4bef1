internal import Foundation
internal import PerfStatistics

/// Comparisons of benchmarks of a package-benchmark suite with themselves.
extension EvidenceBench {
  func suites(_ table: FigureTable) throws {
    guard let package, !suite.isEmpty else {
      throw BenchError(
        description:
          "the suites part needs --package DIR, a checkout whose last commit builds, and "
          + "--suite TARGET/NAME, one of its benchmarks")
    }
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let perfkit = try workshop.program("perfkit")
    let name = URL(fileURLWithPath: package).standardizedFileURL.lastPathComponent
    var record = try LiveRecord(file: record)
    for benchmark in suite {
      let variant = "\(name) \(benchmark)"
      for seed in record.missing(variant, of: suiteComparisons) {
        let diff = try LiveDiff(
          perfkit,
          [
            "HEAD", "HEAD", "--measure-same", "--package-benchmark", "--scenario", benchmark,
            "--allocations", "--seed", "\(seed)",
          ], store: workshop.file("suites/.perfkit/perfkit.sqlite"),
          output: workshop.file("suite.json"), in: package)
        try record.add(
          LiveRecord.Entry(
            variant: variant, seed: seed, date: table.now, commit: table.commit,
            machine: table.machine, seconds: diff.seconds,
            answer: LiveRecord.Answer(diff.answer)))
      }
      let entries = record.of(variant)
      let alarms = entries.count(where: \.answer.isChanged)
      let open = entries.count { $0.answer.verdict == "inconclusive" }
      table.add(
        "\(benchmark) of \(name) with itself, time and allocations of an operation",
        target: "0 alarms in >= 100 comparisons",
        measured: "\(alarms) alarms and \(open) inconclusive in \(entries.count); "
          + "\(Self.text(Self.median(entries.map(\.seconds)))) s (median)",
        isMet: alarms == 0 && entries.count >= 100)
    }
  }
}
