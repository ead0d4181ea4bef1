import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

@testable import PerfReport

@Suite struct `A selftest's document` {
  private func document(_ count: Int, isStored: Bool = true) -> SelftestDocument {
    var record = SelftestRecord()
    while record.trials.count < count {
      let change = record.next
      // The estimate is a tenth below the injected change.
      record.add(
        .init(
          change: change, isFound: change.size >= 0.02, estimate: change.size * 0.9,
          pairs: record.trials.count % 3 == 0 ? 11 : 14))
    }
    var environment = Environment(facts: [:])
    environment[.cpuModel] = "AMD EPYC"
    environment[.cpuCount] = "2"
    environment[.loadAtStart] = "0.42"
    let facts = SelftestDocument.Facts(
      environment: environment, started: SampleRuns.firstStart, duration: 366_000_000_000,
      launches: 2_914, launchTime: 50_000_000, isProfiled: true, seed: 1)
    let certificate = NoiseCertificate(
      machine: environment.machine, certified: SampleRuns.firstStart, findings: record.findings,
      smallest: record.smallest, duration: facts.duration, launches: facts.launches, seed: 1,
      version: "0.1.0")
    return SelftestDocument(record, facts: facts, certificate: isStored ? certificate : nil)
  }

  @Test func `the report on a selftest matches its snapshots`() {
    let document = document(33)
    expectSnapshot(TextRenderer().render(document.document), "selftest.txt")
    expectSnapshot(document.json.text(), "selftest.json")
  }

  @Test func `a selftest with a wide interval recommends more comparisons`() throws {
    // Ten of 33 comparisons have no change: at most 1 - 0.05^(1/10) = 26 %. 3 * 59 comparisons at
    // 366 s / 33 take 32.7 min.
    let warning = try #require(document(33).warnings.first)
    #expect(
      warning.message
        == "no false alarm in 10 comparisons is compatible with a rate of up to 26%")
    #expect(
      warning.remedy == "To show a rate below 5%, pass --max-time 33min for 59 comparisons.")
  }

  @Test func `a selftest with too few comparisons is undecided`() {
    let document = document(3, isStored: false)
    #expect(
      document.sentence
        == "Undecided: 3 comparisons, 1 of them without a change, are too few.")
    #expect(document.json.text().contains("\"certificate\" : null"))
  }
}

@Suite struct `A noise certificate in a report` {
  private let certificate = NoiseCertificate(
    machine: "host=one", certified: SampleRuns.firstStart,
    findings: [
      .init(change: .nothing, told: 0, comparisons: 16),
      .init(change: .init(.cpuTime, size: 0.05), told: 8, comparisons: 8),
      .init(change: .memory, told: 4, comparisons: 4),
    ],
    smallest: .init(.cpuTime, size: 0.05), duration: 1, launches: 1, seed: 1, version: "0.1.0")

  private func text(_ noise: NoiseStatus?) -> String {
    let sample = SampleComparisons.naiveAgainstOptimised(launches: 6, samples: 0, fling: 30)
    return TextRenderer().render(
      ComparisonDocument(
        sample.comparison, base: sample.base, candidate: sample.candidate, noise: noise
      ).document)
  }

  @Test func `the noise certificate is shown with its date or with the command to create one`() {
    // 1 - 0.05^(1/16) = 17 %.
    let date = SampleRuns.firstStart.short.prefix(10)
    let words = text(.certified(certificate)).split(whereSeparator: \.isWhitespace)
    #expect(
      words.joined(separator: " ").contains(
        "certified on \(date): false alarms 0 of 16 (at most 17%), finds 5% of CPU time (8 of 8)"))
    #expect(
      text(.uncertified).contains("not certified on this machine; run 'perfkit selftest'"))
    #expect(!text(nil).contains("certified"))
  }

  private func metric(
    _ name: String, margin: Double?, isGating: Bool = true, scale: MetricScale = .ratio
  ) -> MetricComparison {
    MetricComparison(
      definition: MetricDefinition(
        name: name, dimension: .time, direction: .lower, scale: scale, summary: ""),
      base: 1, candidate: 1, ratio: 1, estimate: 0, low: 0, high: 0, p: 1, n: (11, 11),
      margin: margin, isGating: isGating, verdict: .equivalent)
  }

  @Test func `margins that are finer than the certified ones raise a warning`() throws {
    // 5 % was found at a margin of 2.5 %, memory at a margin of 2 %.
    let warning = try #require(
      certificate.warning(on: [
        metric("cpu.total", margin: 0.02), metric("wall", margin: 0.025),
        metric("rss.peak", margin: 0.01), metric("cpu.user", margin: 0.001, isGating: false),
        metric("frame.hitch_max", margin: 0.001, scale: .difference),
        metric("palette.time", margin: 0.001),
      ]))
    #expect(warning.code == "certificate.margin_finer")
    #expect(
      warning.message.hasSuffix(
        "covers: cpu.total (2%, certified 2.5%), rss.peak (1%, certified 2%)"))
    #expect(certificate.warning(on: [metric("cpu.total", margin: 0.03)]) == nil)
  }

  @Test func `a certificate without a found change warns about every margin of a time`() throws {
    let blind = NoiseCertificate(
      machine: "host=one", certified: SampleRuns.firstStart,
      findings: [.init(change: .nothing, told: 0, comparisons: 16)], smallest: nil, duration: 1,
      launches: 1, seed: 1, version: "0.1.0")
    let warning = try #require(blind.warning(on: [metric("wall", margin: 0.5)]))
    #expect(warning.message.hasSuffix("wall (50%, certified none)"))
    #expect(blind.summary == "false alarms 0 of 16 (at most 17%), does not find 10% of CPU time")
  }
}
