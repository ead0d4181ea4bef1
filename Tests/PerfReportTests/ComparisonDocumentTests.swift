import PerfModel
import PerfStatistics
import PerfTestSupport
import Testing

@testable import PerfReport

/// The headline, the facts and the metrics of a report on a comparison.
struct ComparisonDocumentTests {
  @Test(arguments: [
    (11, 3, nil, nil, "About 3 more pairs would probably decide."),
    (39, 1, nil, nil, "About 1 more pair would probably decide."),
    (
      12, 8, 4e8, 12,
      "About 8 more pairs, 3.2 s, would probably decide: repeat the command with "
        + "--max-time 10s --max-pairs 20."
    ),
    (
      40, 120, 1.5e9, 2560,
      "About 120 more pairs, 3 min, would probably decide: repeat the command with "
        + "--max-time 4min."
    ),
    (
      40, 16, 4e8, nil,
      "About 16 more pairs, 6.4 s, would probably decide: repeat the command with "
        + "--max-time 10s."
    ),
    (
      20, nil, 1e9, nil,
      "More pairs may decide: repeat the command with a greater --max-time or --max-pairs."
    ),
    (
      1792, 1000, nil, nil,
      "The maximum of 2,560 pairs is probably too few. Use longer launches, a wider margin or fewer "
        + "metrics."
    ),
    (2560, 9, nil, nil, "Use longer launches, a wider margin or fewer metrics."),
    (2560, nil, nil, nil, "Use longer launches, a wider margin or fewer metrics."),
  ])
  func `an undecided comparison has a forecast or a remedy`(
    pairs: Int, needed: Int?, time: Double?, limit: Int?, words: String
  ) throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let definition = try #require(MetricCatalog.standard["wall"])
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1,
        pairing: .init(
          pairs: pairs, launchesPerPair: 4, isDecided: false, timePerPair: time, maxPairs: limit),
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

  @Test(arguments: [
    (("naive", "1111111111"), ("lru", "1111111111"), " --scenario s --variant naive --variant lru"),
    (
      ("lru", "1111111111"), ("lru", "2222222222"),
      " 1111111111 2222222222 --scenario s --variant lru"
    ),
    (("lru", "1111111111"), ("lru", "1111111111"), " --scenario s --variant lru"),
    (("lru", "1111111111"), (Run.recordVariant, "2222222222"), nil),
  ])
  func `undecided stored runs have a command that measures the same sides in pairs`(
    base: (variant: String, commit: String), candidate: (variant: String, commit: String),
    words: String?
  ) {
    let runs = [base, candidate].map { side in
      SampleRuns.run(
        variant: side.variant, scenario: "s", launches: 1, samples: 0, fling: 0, commit: side.commit
      )
    }
    let sides = runs.map { RunDocument(run: $0, metrics: [], budgets: [], verdict: .held) }
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(runs[0]), candidate: .init(runs[1]), alpha: 0.02, seed: 1, metrics: [],
        functions: [], environmentDifferences: [], warnings: [], verdict: .inconclusive),
      base: sides[0], candidate: sides[1])
    let remedy =
      words.map { "Measure in pairs: perfkit diff\($0)." }
      ?? "Pairs decide smaller changes: see 'perfkit diff --help'."
    #expect(document.headline == "Inconclusive: the comparison is undecided. \(remedy)")
  }

  @Test func `undecided stored runs name the reason that their metrics share`() throws {
    let run = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    let metrics = try ["wall", "cpu.total"].map { name in
      MetricComparison(
        definition: try #require(MetricCatalog.standard[name]), base: 1, candidate: 9, ratio: 9,
        estimate: 8, low: nil, high: nil, p: 1, n: (1, 1), margin: 0.02, isGating: true,
        verdict: .inconclusive, note: "1 and 1 launches cannot show any change")
    }
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(run), candidate: .init(run), alpha: 0.02, seed: 1, metrics: metrics,
        functions: [], environmentDifferences: [], warnings: [], verdict: .inconclusive))
    let reason = "wall and cpu.total are undecided: 1 and 1 launches cannot show any change. "
    #expect(document.headline.contains(reason), "\(document.headline)")
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

  @Test func `a side with uncommitted changes is distinguished from its commit`() throws {
    let sample = SampleRuns.run(launches: 1, samples: 0, fling: 0)
    var environment = sample.environment
    environment[.dirty] = "true"
    let changed = Run(
      id: "s2", scenario: sample.scenario, variant: sample.variant, label: nil,
      started: sample.started, seed: 7, parameters: [:], command: ["run"],
      environment: environment, definitions: [], launches: [], budgets: [], profile: nil,
      warnings: [], wasInterrupted: false)
    let document = SampleComparisons.document(
      base: SampleDocuments.document(of: sample), candidate: SampleDocuments.document(of: changed),
      verdict: .equivalent)
    let commit = SampleRuns.commit.prefix(10)
    for text in [document.document, document.document(.brief)] as [Document] {
      let facts = text.blocks.flatMap { block -> [Document.Fact] in
        if case .facts(let facts) = block { facts } else { [] }
      }
      let base = try #require(facts.first { $0.name == "base" }?.value)
      let candidate = try #require(facts.first { $0.name == "candidate" }?.value)
      #expect(base.contains("commit \(commit), "), "\(base)")
      #expect(candidate.contains("commit \(commit) with changes, "), "\(candidate)")
    }
    #expect(document.html().contains("<td data-column=\"candidate\">\(commit) with changes</td>"))
  }

  /// `blend` is charged with its own time, and `main` with that of its callees in no case.
  @Test(arguments: [
    ("main", FunctionComparison.Kind.total, 5e6, "main (+5 ms per launch)"),
    ("blend", .own, 2.2e6, "blend (+2 ms per launch)"),
  ])
  func `the function that explains a change has the change that is certain`(
    name: String, kind: FunctionComparison.Kind, difference: Double, text: String
  ) throws {
    func run(_ blend: Double) -> Run {
      SampleRuns.replacingProfile(
        of: SampleRuns.run(launches: 1, samples: 0, fling: 0),
        // main itself becomes faster by 0.1 ms.
        by: SmallTree.profile([
          SmallTree.count(3, blend), SmallTree.count(0, 1 - (blend - 4) / 20),
        ]))
    }
    let (base, candidate) = (run(4), run(6))
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(base), candidate: .init(candidate), alpha: 0.02, seed: 1, metrics: [],
        functions: [
          .init(
            name: name, key: name, kind: kind, base: 5e6, candidate: 5e6 + difference, low: 1e6,
            high: 9e6, q: 0.001, isSignificant: true)
        ], environmentDifferences: [], warnings: [], verdict: .regressed),
      base: SampleDocuments.document(of: base), candidate: SampleDocuments.document(of: candidate))
    #expect(document.culpritSentence == "CPU time changed in \(text).")
  }

  @Test func `the verdict and the table of functions remove the pace of the CPU alike`() throws {
    // main takes one millisecond per unit of the pace; blend takes 1 in the base and 1.5 in the candidate, whose
    // launches met a slower CPU in all pairs.
    func run(blend: Double, paces pair: [Double]) -> Run {
      let paces = (0..<12).flatMap { _ in pair }
      let sample = SampleRuns.run(launches: 1, samples: 0, fling: 0)
      return Run(
        id: "r\(blend)", scenario: sample.scenario, variant: sample.variant, label: nil,
        started: sample.started, seed: 7, parameters: [:], command: ["run"],
        environment: sample.environment, definitions: [],
        launches: paces.enumerated().map { index, pace in
          Launch(
            index: index, isWarmup: false, status: .completed, offset: 0,
            metrics: [
              MetricName.cpuTotal: pace * (1 + blend) * 1e6, MetricName.paceCPU: pace * 1e6,
            ])
        }, budgets: [],
        profile: SmallTree.profile(
          paces.enumerated().flatMap { index, pace in
            [
              SmallTree.count(0, pace, launch: index),
              SmallTree.count(3, pace * blend, launch: index),
            ]
          }), warnings: [], wasInterrupted: false)
    }
    let base = run(blend: 1, paces: [1, 4])
    let candidate = run(blend: 1.5, paces: [1.5, 5])
    let functions = FunctionComparer().compare(base, candidate, launchesPerPair: 2)
    let document = ComparisonDocument(
      Comparison(
        id: "c", base: .init(base), candidate: .init(candidate), alpha: 0.02, seed: 1,
        pairing: .init(pairs: 12, launchesPerPair: 2, isDecided: true), metrics: [],
        functions: functions, environmentDifferences: [], warnings: [], verdict: .regressed),
      base: SampleDocuments.document(of: base), candidate: SampleDocuments.document(of: candidate))
    // At the usual pace, 4, blend takes 4 and 6 ms. Without the removal its means are 2.5 and 4.875 ms.
    #expect(document.culpritSentence == "CPU time changed in blend (+2 ms per launch).")
    let row = try #require(functions.first { $0.kind == .own && $0.key == "blend" })
    #expect(abs(row.difference - 2e6) < 1)
    #expect(abs(try #require(document.culprits.first).difference - row.difference) < 1)
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
        == "Void: 2 of 2 sessions of the baseline were measured with other parameters or arguments and are not "
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
}
