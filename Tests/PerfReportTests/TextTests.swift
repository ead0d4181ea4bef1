import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

@testable import PerfReport

struct TextTests {
  @Test(arguments: ["naive", "optimised"])
  func `a run fits into a terminal of eighty columns`(variant: String) {
    let document = SampleDocuments.run(variant: variant, launches: 8, fling: 4000)
    let lines = TextRenderer().render(document.document).split(separator: "\n")
    #expect(lines.filter { $0.count > 80 } == [])
  }

  @Test func `a comparison fits into a terminal of eighty columns`() {
    let document = SampleComparisons.naiveAgainstOptimised()
    let lines = TextRenderer().render(document.document).split(separator: "\n")
    #expect(lines.filter { $0.count > 80 } == [])
  }

  @Test func `differences of environments fit into a terminal of eighty columns`() {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let names = ["8370C CPU @ 2.80GHz", "8272CL CPU @ 2.60GHz"].map {
      "Intel(R) Xeon(R) Platinum \($0)"
    }
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1, metrics: [],
        functions: [],
        environmentDifferences: [
          Environment.Difference(
            key: "cpu.model", base: names[0], candidate: names[1], voids: true)
        ], warnings: [], verdict: .void))
    let lines = TextRenderer().render(document.document).split(separator: "\n")
    #expect(lines.filter { $0.count > 80 } == [])
    // Shortened texts might be equal on both sides.
    #expect(lines.contains { $0 == "      base \(names[0])" })
    #expect(lines.contains { $0 == "      candidate \(names[1])" })
  }

  @Test(arguments: [
    (11, 3, nil, "About 3 more pairs would probably decide."),
    (39, 1, nil, "About 1 more pair would probably decide."),
    (
      40, 120, 1.5e9,
      "About 120 more pairs, 3 min, would probably decide: repeat the command with --max-time 4min."
    ),
    (
      40, 16, 4e8,
      "About 16 more pairs, 6.4 s, would probably decide: repeat the command with --max-time 10s."
    ),
    (
      20, nil, 1e9,
      "More pairs may decide: repeat the command with a greater --max-time."
    ),
    (
      1792, 1000, nil,
      "The maximum of 2,560 pairs is probably too few. Use longer launches, a wider margin or fewer "
        + "metrics."
    ),
    (2560, 9, nil, "Use longer launches, a wider margin or fewer metrics."),
    (2560, nil, nil, "Use longer launches, a wider margin or fewer metrics."),
  ])
  func `an undecided comparison has a forecast or a remedy`(
    pairs: Int, needed: Int?, time: Double?, words: String
  ) throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let definition = try #require(MetricCatalog.standard["wall"])
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1,
        pairing: .init(
          pairs: pairs, launchesPerPair: 4, isDecided: false, timePerPair: time),
        metrics: [
          MetricComparison(
            definition: definition, base: 1, candidate: 1, ratio: 1, estimate: 0, low: -1, high: 1,
            p: 1, n: (pairs, pairs), margin: 0.02, isGating: true, verdict: .inconclusive,
            pairsNeeded: needed)
        ], functions: [], environmentDifferences: [], warnings: [], verdict: .inconclusive))
    #expect(
      document.headline
        == "Inconclusive: wall is undecided after \(NumberFormat.grouped(pairs)) pairs. \(words)")
  }

  @Test func `the same program on both sides is equivalent without runs and pairs`() {
    let side = Comparison.Side(
      run: "", scenario: "scroll", variant: "lru", label: nil, commit: nil,
      started: Timestamp(milliseconds: 0))
    let document = ComparisonDocument(
      Comparison(
        id: "same-program", base: side, candidate: side, alpha: 0.02, seed: 1, isSameProgram: true,
        metrics: [], functions: [], environmentDifferences: [], warnings: [], verdict: .equivalent))
    #expect(
      document.headline
        == "Equivalent: scroll:lru is the same program, with the same parameters and inputs, on both "
        + "sides, so that nothing was measured.")
    #expect(document.title == "scroll:lru")
    let json = document.json.text()
    #expect(json.contains(#""same_program""#) && json.contains(#""pairs" : null"#))
  }

  @Test func `a regression by a slow mode gives both shares and the mean`() throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let metric = MetricComparison(
      definition: try #require(MetricCatalog.standard["wall"]), base: 54e6, candidate: 72e6,
      ratio: 4 / 3.0, estimate: 1 / 3.0, low: 0.2, high: 0.4, p: 1e-5, n: (20, 20), margin: 0.02,
      isGating: true, verdict: .regressed, decidedAt: 20,
      slowLaunches: .init(base: 0.08, candidate: 0.52, beyond: 0.8))
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1, metrics: [metric],
        functions: [], environmentDifferences: [], warnings: [], verdict: .regressed))
    #expect(
      document.headline
        == "Regressed: the distribution of wall changed: 8% to 52% of the launches are in the slow "
        + "mode, so that the mean rose by 33.3% (54 ms to 72 ms).")
  }

  @Test func `the removed share of the pace is reported for each gating metric`() throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    func metric(_ name: String, share: Double?, isGating: Bool = true) throws -> MetricComparison {
      MetricComparison(
        definition: try #require(MetricCatalog.standard[name]), base: 1, candidate: 1, ratio: 1,
        estimate: 0, low: -1, high: 1, p: 1, n: (11, 11), margin: 0.02, isGating: isGating,
        verdict: .inconclusive, paceShare: share)
    }
    func pace(_ metrics: [MetricComparison]) -> String? {
      ComparisonDocument(
        Comparison(
          id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1,
          pairing: .init(pairs: 11, launchesPerPair: 4, isDecided: false), metrics: metrics,
          functions: [], environmentDifferences: [], warnings: [], verdict: .inconclusive)
      ).designFacts.first { $0.name == "pace" }?.value
    }
    let metrics = try [
      metric("wall", share: 0.614), metric("cpu.total", share: 0), metric("rss.peak", share: nil),
      metric("cpu.user", share: 0.5, isGating: false),
    ]
    #expect(
      pace(metrics)
        == "removed pace of the CPU: 61% from wall, 0% from cpu.total")
    #expect(pace([try metric("rss.peak", share: nil)]) == nil)
  }

  @Test func `the durations of counting are not in the table of metrics`() throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let metrics = try ["wall", "steal", "steal.window"].map { name in
      MetricComparison(
        definition: try #require(MetricCatalog.standard[name]), base: 1, candidate: 1, ratio: 1,
        estimate: 0, low: -1, high: 1, p: 1, n: (11, 11), margin: 0.02, isGating: name == "wall",
        verdict: .inconclusive)
    }
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1, metrics: metrics,
        functions: [], environmentDifferences: [], warnings: [], verdict: .inconclusive))
    let rows = try #require(document.metricTable).groups.flatMap(\.rows)
    #expect(rows.map { $0[0].text } == ["wall", "steal"])
  }

  @Test func `a baseline with other parameters is named as the cause of a void comparison`() throws
  {
    // The variants have different parameters, and the environments are equal.
    let sessions = ["a", "b"].map {
      SampleRuns.run(variant: "naive", launches: 2, samples: 0, fling: 0, id: $0)
    }
    let run = SampleRuns.run(launches: 2, samples: 0, fling: 0, id: "new")
    let comparison = try RunComparer().compare(run, sessions: sessions)
    #expect(
      ComparisonDocument(comparison).headline
        == "Void: 2 of 2 sessions of the baseline were measured with other parameters and are not "
        + "used.")
  }

  @Test func `allowed differences are not named as the cause of a void comparison`() {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    func headline(_ code: String) -> String {
      let warnings = [(code, "allowed"), (PairedComparer.controlMoved, "steady moved")].map {
        RunWarning(code: $0.0, message: $0.1, remedy: "")
      }
      return ComparisonDocument(
        Comparison(
          id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1, metrics: [],
          functions: [],
          environmentDifferences: [
            Environment.Difference(key: "cpu.model", base: "A", candidate: "B", voids: true)
          ], warnings: warnings, verdict: .void)
      ).headline
    }
    #expect(
      headline(RunComparer.environmentsAllowed)
        == "Void: steady moved. Either the machine changed or its input did.")
    #expect(headline("other") == "Void: cpu.model differs between base and candidate.")
  }

  @Test func `metrics that failed launches lack do not ask for more pairs`() throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    func headline(_ failures: [Int], warnings: [RunWarning] = []) throws -> String {
      let metrics = try zip(["wall", "cpu.total"], failures).map { name, failed in
        MetricComparison(
          definition: try #require(MetricCatalog.standard[name]), base: 1, candidate: 1, ratio: 1,
          estimate: 0, low: -1, high: 1, p: 1, n: (11, 11), margin: 0.02, isGating: true,
          verdict: .inconclusive, decidedAt: failed > 0 ? 11 : nil, pairsNeeded: 3,
          failures: failed)
      }
      return ComparisonDocument(
        Comparison(
          id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1,
          pairing: .init(pairs: 12, launchesPerPair: 4, isDecided: false), metrics: metrics,
          functions: [], environmentDifferences: [], warnings: warnings, verdict: .inconclusive)
      ).headline
    }
    let lacking =
      "Inconclusive: failed launches lack wall, so it cannot be called equivalent or improved"
    #expect(try headline([1]) == lacking + ".")
    #expect(
      try headline([1, 0])
        == lacking + "; cpu.total is undecided after 12 pairs. "
        + "About 3 more pairs would probably decide.")
    // An unknown control is an additional reason.
    let unknown = [RunWarning(code: PairedComparer.controlUnknown, message: "scan is unknown")]
    #expect(try headline([], warnings: unknown) == "Inconclusive: scan is unknown.")
    let both = try headline([1], warnings: unknown)
    #expect(both.hasPrefix("Inconclusive: scan is unknown; failed launches lack wall, so "))
  }

  @Test func `a note shared by several budgets is shown once, below them`() throws {
    let run = SampleRuns.run(variant: "naive", launches: 6)
    let budgets = zip(run.budgets, ["few launches", "few launches", "not measured"]).map {
      BudgetResult(budget: $0, value: 1, interval: nil, verdict: .unknown, note: $1)
    }
    try #require(budgets.count == 3)
    let document = RunDocument(
      run: run, metrics: [], budgets: budgets, verdict: .unknown, reportPath: nil)
    let table = try #require(document.budgetTable)
    #expect(table.rows.compactMap(\.last?.text) == ["", "", "not measured"])
    #expect(table.caption == "few launches.")
  }

  @Test(
    arguments: [
      (50_004_096, 50_004_096...50_008_192, "50.004 MB", "[50.004, 50.008]"),
      (50e6, 50e6...50e6, "50 MB", "[50, 50]"),
      (50e6 + 1e-7, 50e6...50e6, "50 MB", "[50, 50]"),
      (51_234_567, 50_000_001...60e6, "51.234567 MB", "[50.000001, 60]"),
    ] as [(Double, ClosedRange<Double>, String, String)])
  func `a measured value reads like the limit only if it equals the limit`(
    value: Double, interval: ClosedRange<Double>, shown: String, ends: String
  ) throws {
    let sample = SampleRuns.run(launches: 6, samples: 0)
    let budget = try #require(sample.budgets.first { $0.limit.description == "150 MB" })
    let result = BudgetResult(
      budget: Budget(
        metric: budget.metric, statistic: budget.statistic, comparison: budget.comparison,
        limit: Quantity(50, budget.limit.unit)),
      value: value, interval: interval, verdict: .broken)
    let document = RunDocument(run: sample, metrics: [], budgets: [result], verdict: .broken)
    let row = try #require(document.budgetTable?.rows.first)
    #expect(row[2].text == shown)
    #expect(row[3].text == ends)
    #expect(document.verdictSentence.contains("rss.peak is \(shown) (limit <= 50 MB)"))
  }

  @Test func `no line ends with spaces`() {
    let lines = TextRenderer().render(SampleDocuments.run().document).split(separator: "\n")
    #expect(lines.filter { $0.last == " " } == [])
  }

  @Test func `escape sequences are written only if colour is requested`() {
    let document = SampleDocuments.run().document
    #expect(!TextRenderer().render(document).contains("\u{1B}"))
    #expect(TextRenderer(usesColour: true).render(document).contains("\u{1B}[1;32m"))
  }

  @Test func `a CSV field with a comma, a quote or a line break is quoted`() {
    let text = CSVRenderer().render(
      header: ["a", "b"], rows: [["1,5", "say \"x\""], ["p\nq", ""]])
    #expect(text == "a,b\n\"1,5\",\"say \"\"x\"\"\"\n\"p\nq\",\n")
  }

  @Test func `a CSV field is unchanged, whatever its first character is`() {
    let names = ["=1+1", "+before", "-12.5", "@home", "'quoted"]
    let text = CSVRenderer().render(header: ["label"], rows: names.map { [$0] })
    #expect(text.split(separator: "\n").dropFirst().map { String($0) } == names)
  }

  @Test func `the CSV of several runs has one header`() {
    let runs = ["naive", "optimised"].map { SampleDocuments.run(variant: $0, launches: 1) }
    let lines = CSVRenderer().render(runs).split(separator: "\n")
    let each = runs.map { CSVRenderer().render([$0]).split(separator: "\n") }
    #expect(lines == each[0] + each[1].dropFirst())
  }

  @Test func `the CSV of several comparisons has one header and identifies each row`() {
    let first = SampleComparisons.naiveAgainstOptimised(launches: 1, samples: 0, fling: 0)
    let second = SampleComparisons.document(
      base: SampleDocuments.run(variant: "optimised", launches: 1, samples: 0, fling: 0),
      candidate: SampleDocuments.run(variant: "naive", launches: 1, samples: 0, fling: 0))
    let lines = CSVRenderer().render([first, second]).split(separator: "\n")
    let each = [first, second].map { CSVRenderer().render([$0]).split(separator: "\n") }
    #expect(each.allSatisfy { $0.count > 1 })
    #expect(lines == each[0] + each[1].dropFirst())
    for (document, rows) in zip([first, second], each) {
      let (base, candidate) = (document.comparison.base, document.comparison.candidate)
      let end = [
        document.comparison.id, "scroll-1000", base.variant, candidate.variant, base.run,
        candidate.run,
      ]
      #expect(rows.dropFirst().allSatisfy { $0.hasSuffix("," + end.joined(separator: ",")) })
    }
  }

  @Test func `an interval is in the unit of its value and an open side is marked`() {
    #expect(Wording.interval(7.9e6, 8.4e6, around: 8.1e6, .time) == "[7.9, 8.4]")
    #expect(Wording.interval(0, 8.4e6, around: 0, .time) == "[0, 8.4] ms")
    #expect(Wording.interval(0, 0, around: 0, .ratio) == "[0, 0]")
    #expect(Wording.interval(nil, 5, around: 4, .count) == "[open, 5]")
    #expect(Wording.interval(nil, nil, around: 4, .count) == "-")
  }

  @Test(
    arguments: [
      ("0001-work-kept.md", 1), ("0012-notes.md", 12), ("123456-work-reverted.md", 123_456),
      ("12-work-kept.md", nil), ("1234567-work-kept.md", nil), ("0001-work-kept.html", nil),
      ("0001.md", nil), ("README.md", nil),
    ] as [(String, Int?)])
  func `the number of a decision page is the beginning of its file name`(
    name: String, number: Int?
  ) {
    #expect(DecisionPage.number(ofFile: name) == number)
  }

  @Test func `the interval of a difference has a unit`() {
    func interval(
      _ low: Double, _ high: Double, _ dimension: Dimension, _ scale: MetricScale = .difference
    ) -> String {
      Wording.changeInterval(
        MetricComparison(
          definition: MetricDefinition(
            name: "m", dimension: dimension, direction: .lower, scale: scale, summary: ""),
          base: nil, candidate: nil, ratio: nil, estimate: (low + high) / 2, low: low, high: high,
          p: nil, n: (6, 6), margin: nil, isGating: true, verdict: .inconclusive))
    }
    #expect(interval(-126.8e6, 556e6, .time) == "[-126.8, 556] ms")
    #expect(interval(-3, 5, .count) == "[-3, 5]")
    #expect(interval(-0.02, 0.015, .ratio) == "[-2, 1.5] pp")
    #expect(interval(-0.02, 0.03, .time, .ratio) == "[-2%, +3%]")
  }

  @Test func `a command is quoted like in a shell`() {
    #expect(
      Wording.command(["run", "a b", "it's", "--set", "x=1"]) == "run 'a b' 'it'\\''s' --set x=1")
  }

  @Test func `a run without budgets is not judged`() {
    let sample = SampleRuns.run(launches: 6, samples: 0)
    let run = Run(
      id: sample.id, scenario: "any", variant: "v", label: nil, started: sample.started, seed: 1,
      parameters: [:], command: [], environment: sample.environment,
      definitions: sample.definitions, launches: sample.launches, budgets: [], profile: nil,
      warnings: [], wasInterrupted: false)
    let document = SampleDocuments.document(of: run)
    #expect(document.verdictSentence == "Not judged: any:v has no budgets.")
    #expect(document.verdictTone == .plain)
  }
}
