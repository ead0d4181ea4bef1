import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

@testable import PerfReport

/// Reports in one screen of 24 lines, and in at most 15 lines.
struct ShortDocumentTests {
  private static let limits: [(detail: Detail, lines: Int)] = [(.screen, 24), (.brief, 15)]

  private static func lines(_ document: Document, _ detail: Detail) -> [String] {
    TextRenderer(detail: detail).render(document).dropLast()
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns a run with long names, broken budgets, lost launches and twelve warnings.
  private static func crowded(
    statuses: [Int: Launch.Status] = [2: .crashed(signal: 11), 5: .timedOut, 6: .jetsam],
    more: [RunWarning] = []
  ) -> RunDocument {
    let sample = SampleRuns.run(
      variant: "naive", launches: 8, samples: 300, fling: 500, statuses: statuses)
    let name = String(repeating: "a-long-name-", count: 9) + "z"
    // The profile has a warning of its own.
    let warnings = (0..<12).map { number in
      RunWarning(
        code: "topic.number\(number % 6)", message: String(repeating: "a warning ", count: 30),
        remedy: "Do something.")
    }
    let run = Run(
      id: "r1m8dhkrn0xc", scenario: name, variant: "naive", label: name, started: sample.started,
      seed: 1, parameters: [:], command: ["run", name], environment: sample.environment,
      definitions: sample.definitions, launches: sample.launches,
      budgets: sample.budgets + sample.budgets, profile: sample.profile, warnings: warnings + more,
      wasInterrupted: true)
    var document = SampleDocuments.document(of: run, reportPath: "Reports/a.html")
    document.expectations = (0..<5).map { _ in
      ExpectationResult(
        ScenarioExpectation(
          String(repeating: "wall(naive) + ", count: 12) + "wall(naive) > 1",
          left: .number(Formula.Value(1, nil)),
          .above, right: .number(Formula.Value(0, nil)), readings: []), .broken, left: 1, right: 2)
    }
    return document
  }

  @Test(arguments: ["naive", "optimised", "crowded"])
  func `a run fits into one screen, and into 15 lines if it is brief`(variant: String) {
    let document =
      variant == "crowded"
      ? Self.crowded() : SampleDocuments.run(variant: variant, launches: 8, fling: 4000)
    for (detail, limit) in Self.limits {
      let lines = Self.lines(document.document(detail), detail)
      #expect(lines.count <= limit, "\(lines.joined(separator: "\n"))")
      // The path of the report is not shortened, so that it can be copied.
      #expect(lines.filter { $0.count > 80 && !$0.hasPrefix("Report: ") } == [])
    }
  }

  @Test(arguments: [3, 9])
  func `the stack of a crash fits into one screen, and into 15 lines if it is brief`(crashes: Int) {
    let frames = (0..<16).map { "function\($0)(of:with:) (Source\($0).swift:\($0 + 10))" }
    let document = Self.crowded(
      statuses: Dictionary(
        uniqueKeysWithValues: (0..<crashes).map { ($0, .crashed(signal: 11)) }),
      more: [
        RunWarning(
          code: RunWarning.crashCode,
          message: "launch 0 died of SIGSEGV at 0x10 in " + frames.joined(separator: " < "))
      ])
    #expect(document.run.measured.isEmpty == (crashes == 9))
    for (detail, limit) in Self.limits {
      let lines = Self.lines(document.document(detail), detail)
      #expect(lines.count <= limit, "\(lines.joined(separator: "\n"))")
      #expect(lines.contains { $0.contains("died of SIGSEGV at 0x10 in function0(of:with:)") })
    }
  }

  @Test func `a comparison fits into one screen, and into 15 lines if it is brief`() {
    let crowded = Self.crowded()
    var comparison = SampleComparisons.document(base: crowded, candidate: crowded)
    comparison.expectations = crowded.expectations
    comparison.reportPath = "Reports/a.html"
    for document in [comparison, SampleComparisons.naiveAgainstOptimised()] {
      for (detail, limit) in Self.limits {
        let lines = Self.lines(document.document(detail), detail)
        #expect(lines.count <= limit, "\(lines.joined(separator: "\n"))")
        #expect(lines.filter { $0.count > 80 } == [])
      }
    }
  }

  @Test func `a long name of a metric is shortened, so that the table fits`() {
    let name = "counter." + String(repeating: "long_", count: 20)
    let sample = SampleRuns.run(launches: 6, samples: 0, fling: 0)
    let run = Run(
      id: "r", scenario: "s", variant: "v", label: nil, started: sample.started, seed: 1,
      parameters: [:], command: [], environment: sample.environment,
      definitions: [
        MetricDefinition(
          name: name, dimension: .time, direction: .lower, scale: .ratio, summary: "")
      ],
      launches: (0..<6).map { index in
        Launch(
          index: index, isWarmup: false, status: .completed, offset: 0,
          metrics: [name: 1_234_567 + Double(index)])
      }, budgets: [], profile: nil, warnings: [], wasInterrupted: false)
    let lines = Self.lines(SampleDocuments.document(of: run).document(.screen), .screen)
    #expect(lines.contains { $0.hasPrefix("  counter.") && $0.contains("…") }, "\(lines)")
    #expect(lines.filter { $0.count > 80 } == [])
  }

  @Test(arguments: [false, true])
  func `differences that make a comparison void replace its metrics, unless they are allowed`(
    areAllowed: Bool
  ) {
    let runs = SampleDocuments.run()
    var comparison = SampleComparisons.document(
      base: runs, candidate: runs,
      differences: [.init(key: "cpu.model", base: "A", candidate: "B", voids: true)],
      verdict: .void
    ).comparison
    comparison.warnings = [
      RunWarning(code: PairedComparer.controlMoved, message: "steady moved")
    ]
    if areAllowed {
      comparison.warnings.append(
        RunWarning(code: RunComparer.environmentsAllowed, message: "the environments differ"))
    }
    let document = ComparisonDocument(comparison).document(.screen)
    #expect(document.tables.contains { $0.id == "differences" } == !areAllowed)
    #expect(document.tables.contains { $0.id == "metrics" } == areAllowed)
  }

  @Test func `long differences that make a comparison void fit into one screen and 15 lines`() {
    let crowded = Self.crowded()
    var document = SampleComparisons.document(
      base: crowded, candidate: crowded,
      differences: (0..<5).map { number in
        let flags = String(repeating: "-Xswiftc -O ", count: 9)
        return .init(
          key: "build.flags.\(number)", base: flags, candidate: flags + "-g", voids: true)
      }, verdict: .void)
    document.expectations = crowded.expectations
    document.reportPath = "Reports/a.html"
    for (detail, limit) in Self.limits {
      let lines = Self.lines(document.document(detail), detail)
      #expect(lines.count <= limit, "\(lines.joined(separator: "\n"))")
      #expect(lines.filter { $0.count > 80 } == [])
      #expect(lines.contains { $0.hasPrefix("  build.flags.2") })
    }
  }

  @Test func `a screen shows at most five metrics, three functions and one line of warnings`() {
    let document = Self.crowded().document(.screen)
    #expect(document.tables.map(\.id) == ["checks", "metrics", "functions"])
    #expect(document.tables.map(\.rows.count) == [4, 5, 3])
    let text = TextRenderer(detail: .screen).render(document)
    #expect(text.contains("! 13 warnings: topic.number0 (2), topic.number1 (2)"), "\(text)")
    #expect(!text.contains("a warning"))
  }

  @Test func `a screen shows metrics with broken budgets, then gating and important ones`() throws {
    var document = SampleDocuments.run(variant: "naive", launches: 8, fling: 4000)
    document.gating = ["frame.rate"]
    let table = try #require(document.document(.screen).tables.first { $0.id == "metrics" })
    let broken = document.budgets.filter { $0.verdict == .broken }.map(\.budget.metric)
    #expect(!broken.isEmpty)
    let names = table.rows.map { $0[0].text }
    #expect(Array(names.prefix(broken.count + 1)) == broken + ["frame.rate"])
    // The last column has a bar of at least one character per metric.
    #expect(table.rows.allSatisfy { !($0.last?.text.isEmpty ?? true) })
  }

  @Test func `the bars of launches begin at zero, so that equal launches have equal bars`() {
    #expect(Sparkline.text(of: [99, 100, 100], width: 12, from: 0) == "███")
    // Half of the largest value has half of the height: step 3.5 of 7, rounded to 4.
    #expect(Sparkline.text(of: [50, 100], width: 12, from: 0) == "▅█")
    #expect(Sparkline.text(of: [-100, 0], width: 12, from: 0) == "▁█")
  }

  @Test func `a run without budgets uses the free lines for more functions`() throws {
    let sample = SampleRuns.run(launches: 6, samples: 600, fling: 500)
    let run = Run(
      id: "r", scenario: "s", variant: "v", label: nil, started: sample.started, seed: 1,
      parameters: [:], command: [], environment: sample.environment,
      definitions: sample.definitions, launches: sample.launches, budgets: [],
      profile: sample.profile, warnings: [], wasInterrupted: false)
    let document = SampleDocuments.document(of: run).document(.screen)
    #expect(document.tables.map(\.id) == ["metrics", "functions"])
    #expect(try #require(document.tables.last).rows.count > 3)
    #expect(Self.lines(document, .screen).count <= 24)
  }

  @Test func `the command for everything of a comparison fits into a line of 80 columns`() {
    let side = Comparison.Side(Self.crowded().run)
    let document = ComparisonDocument(
      Comparison(
        id: "c1m8mms0c84qw1", base: side, candidate: side, alpha: 0.02, seed: 1,
        pairing: .init(pairs: 2560, launchesPerPair: 10, isDecided: true), metrics: [],
        functions: [], environmentDifferences: [], warnings: [], verdict: .equivalent))
    let text = TextRenderer(width: 80, detail: .brief).render(document.document(.brief))
    #expect(text.contains("perfkit compare c1m8mms0c84qw1 --all\n"), "\(text)")
  }

  @Test func `a short report names the command that prints everything`() {
    let run = TextRenderer(detail: .brief).render(SampleDocuments.run().document(.brief))
    #expect(run.contains("perfkit show s1optimised; 6 measured"), "\(run)")
    let comparison = SampleComparisons.naiveAgainstOptimised().document(.brief)
    let text = TextRenderer(detail: .brief).render(comparison)
    #expect(text.contains("perfkit compare s1naive s1optimised --all"), "\(text)")
  }

  @Test(arguments: [(600, false), (60, true), (20, true)])
  func `a short report of few samples gives their number`(samples: Int, isShort: Bool) throws {
    let run = SampleDocuments.run(launches: 2, samples: samples)
    let caption = try #require(run.functionTable?.caption)
    let number = try #require(caption.firstMatch(of: /over ([0-9]+ samples?) of all threads/)?.1)
    for detail in [Detail.screen, .brief] {
      let text = TextRenderer(detail: detail).render(run.document(detail))
      #expect(text.contains("2 measured after 1 warm-up; \(number)\n") == isShort, "\(text)")
    }
  }

  @Test func `each function that a verdict names has a row in the tables`() throws {
    // The verdict charges the library's time to scan, whose self time is the smallest of fifteen.
    func run(_ milliseconds: Double) -> Run {
      let sample = SampleRuns.run(launches: 1, samples: 0, fling: 200)
      let names = ["main", "scan", "copy"] + (0..<14).map { "other\($0)" }
      let profile = Profile(
        functions: names.map { name in
          .init(
            name: name, key: name, module: name == "copy" ? "libc.so.6" : "App",
            file: name == "copy" ? nil : "App.swift")
        },
        nodes: names.indices.map { index in
          .init(
            parent: index == 0 ? -1 : index == 2 ? 1 : 0, function: index, line: 1, isInlined: false
          )
        },
        threads: [.init(name: "main", cpu: 1)], phases: [""],
        counts: names.indices.map { index in
          let weight = index == 2 ? milliseconds : index == 1 ? 1 : 20
          return .init(
            launch: 1, node: index, thread: 0, phase: 0, frameClass: .onTime, state: .running,
            samples: 20, weight: weight * 1e6)
        }, timeline: [:], audit: ProfileAudit())
      return Run(
        id: "r\(Int(milliseconds))", scenario: "s", variant: "v", label: nil,
        started: sample.started, seed: 1, parameters: [:], command: [],
        environment: sample.environment, definitions: sample.definitions,
        launches: sample.launches, budgets: [], profile: profile, warnings: [],
        wasInterrupted: false)
    }
    let document = SampleComparisons.document(
      base: SampleDocuments.document(of: run(100)), candidate: SampleDocuments.document(of: run(50))
    )
    #expect(document.verdictSentence.contains("scan (-50 ms per launch)"))
    let table = try #require(document.document.tables.first { $0.id == "functions" })
    #expect(table.rows.contains { $0.contains { $0.text == "scan" } })
  }

  // MARK: - Bars of changes

  /// A margin is two characters, and zero is the fifth of nine.
  @Test(arguments: [
    (0.0, -0.01, 0.01, "  ·━●━·"), (0.04, 0.03, 0.045, "  · │ ·━●"),
    (-0.5, -0.6, -0.4, "◀ · │ ·"), (0.5, 0.4, 0.6, "  · │ · ▶"),
    (0.0, -1.0, 1.0, "◀━━━●━━━▶"),
  ])
  func `the bar of a change shows its interval in margins around zero`(
    estimate: Double, low: Double, high: Double, bar: String
  ) {
    #expect(ChangeBar.text(of: Self.metric(estimate, low, high, margin: 0.02)) == bar)
  }

  @Test func `the bar of a change is empty without a margin`() {
    #expect(ChangeBar.text(of: Self.metric(0.1, 0, 0.2, margin: nil)) == "")
  }

  private static func metric(
    _ estimate: Double, _ low: Double, _ high: Double, margin: Double?
  ) -> MetricComparison {
    MetricComparison(
      definition: MetricDefinition(
        name: "wall", dimension: .time, direction: .lower, scale: .ratio, summary: ""),
      base: 1, candidate: 1 + estimate, ratio: 1 + estimate, estimate: estimate, low: low,
      high: high, p: 0.1, n: (6, 6), margin: margin, isGating: true, verdict: .equivalent)
  }
}
