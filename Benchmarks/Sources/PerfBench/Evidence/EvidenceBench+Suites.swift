internal import Foundation
internal import PerfStatistics

/// Compares suites of package-benchmark with themselves, and with a commit that allocates once more.
extension EvidenceBench {
  /// A benchmark of a suite.
  private struct SuiteBenchmark {
    /// A checkout whose last commit builds.
    let package: String
    /// TARGET/NAME.
    let benchmark: String

    var variant: String {
      URL(fileURLWithPath: package).standardizedFileURL.lastPathComponent + " \(benchmark)"
    }

    init(_ text: String) throws {
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw BenchError(description: "--suite \(text) is not DIR:TARGET/NAME")
      }
      (package, benchmark) = (parts[0], parts[1])
    }
  }

  func suites(_ table: FigureTable) throws {
    guard !suite.isEmpty || !changedSuite.isEmpty else {
      throw BenchError(
        description: "the suites part needs --suite or --changed-suite DIR:TARGET/NAME, one or "
          + "more benchmarks of checkouts whose last commits build")
    }
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let perfkit = try workshop.program("perfkit")
    var record = try LiveRecord(file: record)
    var all: [LiveRecord.Entry] = []
    for benchmark in try suite.map(SuiteBenchmark.init) {
      for seed in record.missing(benchmark.variant, of: suiteComparisons) {
        let diff = try LiveDiff(
          perfkit,
          [
            "HEAD", "HEAD", "--measure-same", "--package-benchmark", "--scenario",
            benchmark.benchmark, "--allocations", "--seed", "\(seed)",
          ], store: workshop.file("suites/.perfkit/perfkit.sqlite"),
          output: workshop.file("suite.json"), in: benchmark.package)
        try record.add(
          LiveRecord.Entry(
            variant: benchmark.variant, seed: seed, date: table.now, commit: table.commit,
            machine: table.machine, seconds: diff.seconds,
            answer: LiveRecord.Answer(diff.answer)))
      }
      let entries = record.of(benchmark.variant)
      let alarms = entries.count(where: \.answer.isAlarm)
      table.add(
        "\(benchmark.variant) with itself, time and allocations of an operation",
        target: "0 alarms", measured: Self.summary(of: entries), isMet: alarms == 0)
      all += entries
    }
    if !suite.isEmpty {
      table.add(
        "all benchmarks of suites with themselves", target: "0 alarms in >= 100 comparisons",
        measured: Self.summary(of: all),
        isMet: !all.contains(where: \.answer.isAlarm) && all.count >= 100)
    }
    for benchmark in try changedSuite.map(SuiteBenchmark.init) {
      let answer = try LiveDiff(
        perfkit,
        [
          "HEAD~1", "HEAD", "--package-benchmark", "--scenario", benchmark.benchmark,
          "--allocations", "--max-time", "60s",
        ], store: workshop.file("changed/.perfkit/perfkit.sqlite"),
        output: workshop.file("changed.json"), in: benchmark.package
      ).answer
      let allocations = answer.metrics.first { $0.name == "benchmark.allocations" }
      table.add(
        "\(benchmark.variant) with one more allocation of an operation",
        target: "regressed, and the function named", measured: answer.sentence,
        isMet: allocations?.verdict == "regressed"
          && answer.sentence.contains("More allocations in"))
    }
  }

  private static func summary(of entries: [LiveRecord.Entry]) -> String {
    func count(_ verdict: String) -> Int { entries.count { $0.answer.verdict == verdict } }
    let alarms = entries.count(where: \.answer.isAlarm)
    let moved = entries.count { $0.answer.verdict == "void" && $0.answer.isChanged }
    let void =
      count("void") == 0 ? "" : ", void in \(count("void")) (\(moved) with a changed metric)"
    return "an alarm in \(alarms)\(void) and inconclusive in \(count("inconclusive")) of "
      + "\(entries.count); "
      + "\(text(median(entries.map(\.answer.pairs).map(Double.init)))) pairs and "
      + "\(text(median(entries.map(\.seconds)))) s (medians)"
  }
}
