import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

/// Functions whose allocations changed, in the sentence and the tables of a comparison.
struct AllocationDocumentTests {
  private func function(
    _ name: String, _ difference: Double, callers: [String] = [], isSignificant: Bool = true,
    isTouched: Bool = false
  ) -> AllocationComparison.Function {
    AllocationComparison.Function(
      FunctionComparison(
        name: name, key: name, kind: .own, base: 20_000, candidate: 20_000 + difference,
        low: difference - 900, high: difference + 900, q: 0.001, isSignificant: isSignificant,
        isTouched: isTouched), callers: callers)
  }

  private func metric(
    _ name: String, _ estimate: Double, _ verdict: ComparisonVerdict = .regressed,
    dimension: Dimension = .count
  ) -> MetricComparison {
    MetricComparison(
      definition: MetricDefinition(
        name: name, dimension: dimension, direction: .lower, scale: .difference, summary: ""),
      base: 20_000, candidate: 20_000 + estimate, ratio: nil, estimate: estimate, low: nil,
      high: nil, p: nil, n: (44, 44), margin: nil, isGating: true, verdict: verdict)
  }

  private func document(
    _ metrics: [MetricComparison], counts: [AllocationComparison.Function] = [],
    bytes: [AllocationComparison.Function] = [], verdict: ComparisonVerdict = .regressed,
    pairs: Int? = 11
  ) -> ComparisonDocument {
    let side = Comparison.Side(
      run: "r1", scenario: "shelf", variant: "default", label: nil, commit: nil,
      started: SampleRuns.firstStart)
    var comparison = Comparison(
      id: "c1", base: side, candidate: side, alpha: 0.02, seed: 1,
      pairing: pairs.map { .init(pairs: $0, launchesPerPair: 4, isDecided: true) },
      metrics: metrics, functions: [], environmentDifferences: [], warnings: [], verdict: verdict)
    comparison.allocations = AllocationComparison(counts: counts, bytes: bytes)
    return ComparisonDocument(comparison)
  }

  /// The metric, its change, and the end of the verdict.
  @Test(
    arguments: [
      (
        "alloc.count", 11_000,
        "More allocations in copy(_:), called by sort() (about +11000 per launch)."
      ),
      (
        "benchmark.allocations", 1,
        "More allocations in copy(_:), called by sort() (about +11000 per launch)."
      ),
      (
        "alloc.count", -1,
        "Fewer allocations in load() (about -7000 per launch, near changed lines)."
      ),
      (
        "alloc.bytes", 1,
        "More memory allocated in copy(_:), called by sort() (about +704 kB per launch)."
      ),
      (
        "alloc.bytes", -1,
        "Less memory allocated in load() (about -448 kB per launch, near changed lines)."
      ),
    ] as [(String, Double, String)])
  func `the verdict names the functions that explain the change of allocations`(
    name: String, estimate: Double, sentence: String
  ) {
    let document = document(
      [metric(name, estimate)],
      counts: [
        function("copy(_:)", 11_000, callers: ["sort()"]),
        function("load()", -7000, isTouched: true),
      ],
      bytes: [
        function("copy(_:)", 704_000, callers: ["sort()"]),
        function("load()", -448_000, isTouched: true),
      ])
    #expect(document.verdictSentence.hasSuffix(sentence), "\(document.verdictSentence)")
    // The sentence is part of reports of every length.
    for detail in [Detail.brief, .screen, .all] {
      let text = TextRenderer(width: 200, detail: detail).render(document.document(detail))
      #expect(text.contains(sentence), "\(text)")
    }
    #expect(document.html().contains(Markup.escape(sentence)))
  }

  @Test func `a verdict names at most three functions, without small changes, and three callers`() {
    let document = document(
      [metric("alloc.count", 30_000)],
      counts: [
        function("a", 10_000, callers: ["p", "q", "r", "s"]), function("b", 9000),
        function("c", 999, callers: ["p"]), function("d", 998),
      ])
    #expect(
      document.verdictSentence.hasSuffix(
        "More allocations in a, called by p, q, r and 1 more (about +10000 per launch); in b (about +9000 per launch)."
      ), "\(document.verdictSentence)")
  }

  @Test func `nothing is named unless a metric of allocations and a function changed`() {
    let certain = [function("copy(_:)", 11_000, callers: ["sort()"])]
    let uncertain = [function("copy(_:)", 11_000, isSignificant: false)]
    let others = [
      document([metric("alloc.count", 11_000)], counts: uncertain, bytes: uncertain),
      document([metric("alloc.count", 11_000, .equivalent)], counts: certain),
      document([metric("alloc.count", -11_000)], counts: certain),
      document([metric("cpu.total", 11_000)], counts: certain),
      document([metric("alloc.bytes", 11_000)], counts: certain),
      document([metric("alloc.count", 11_000)], counts: certain, verdict: .void),
    ]
    for document in others {
      #expect(!document.verdictSentence.contains("copy(_:)"), "\(document.verdictSentence)")
    }
    #expect(others[0].allocationTable == nil)
    #expect(others[1].allocationTable != nil)
  }

  @Test func `the table has the certain changes by number and by memory`() throws {
    let document = document(
      [metric("alloc.count", 11_000)],
      counts: [
        function("copy(_:)", 11_000, callers: ["sort()", "load()"], isTouched: true),
        function("parse()", 3000, isSignificant: false),
      ], bytes: [function("copy(_:)", -704_000)])
    let table = try #require(document.document.tables.first { $0.id == "allocations" })
    #expect(
      table.columns.map(\.title) == [
        "base", "candidate", "difference", "source", "function", "called by", "interval", "q",
      ])
    #expect(
      table.rows.map { $0.map(\.text) } == [
        [
          "20000", "31000", "+11000", "changed", "copy(_:)", "sort() and load()", "[10100, 11900]",
          "0.001",
        ],
        ["20 kB", "-684 kB", "-704 kB", "", "copy(_:)", "", "[-704.9, -703.1]", "0.001"],
      ])
    #expect(table.groups.map(\.title) == ["number", "memory"])
    #expect(table.caption.contains("At most 5 % of comparisons have a false name"))
    let markdown = MarkdownRenderer().render(document.document)
    #expect(markdown.contains("Allocations that changed") && markdown.contains("sort() and load()"))
    #expect(document.html().contains("<table id=\"allocations\">"))
    let stored = self.document(
      [], counts: [function("copy(_:)", 11_000)], pairs: nil)
    #expect(stored.allocationTable?.caption.contains("are false on average") == true)
  }

  @Test func `the allocations in JSON match the schema`() throws {
    let document = document(
      [metric("alloc.count", 11_000)],
      counts: [
        function("copy(_:)", 11_000, callers: ["sort()"]),
        function("parse()", 3000, isSignificant: false),
      ], bytes: [function("copy(_:)", 704_000)])
    try expect(document.json, matches: "comparison")
    let allocations = try #require(document.json["allocations"])
    guard case .array(let counts)? = allocations["counts"],
      case .array(let bytes)? = allocations["bytes"]
    else {
      Issue.record("the comparison has no allocations: \(allocations)")
      return
    }
    #expect(counts.map { $0["unit"] } == [.string("count"), .string("count")])
    #expect(counts[0]["callers"] == .array([.string("sort()")]))
    #expect(counts.map { $0["significant"] } == [.bool(true), .bool(false)])
    #expect(bytes.map { $0["unit"] } == [.string("B")])
  }
}
