import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

struct ListSnapshotTests {
  private static let scenarios = [
    Scenario(
      name: "scroll-1000", summary: "One thousand books, flung from top to bottom and back.",
      workload: "book.scroll", worker: .product("BookWorkloads"),
      variants: [
        .init(
          name: "naive", parameters: ["decode": .string("full"), "cache": .string("dictionary")]),
        .init(name: "optimised", parameters: ["decode": .string("scaled"), "prefetch": .int(20)]),
      ], defaultVariant: "optimised")
  ]

  @Test func `scenarios of one case study are listed together`() throws {
    let studies = ["Epilogue", nil, "BooksTrack", "Epilogue"]
    let scenarios = studies.enumerated().map { index, study in
      Scenario(
        name: "s\(index)", summary: "", workload: "w", worker: .product("W"),
        variants: [.init(name: "v", parameters: [:])], defaultVariant: "v",
        caseStudy: study.map { .init(study: $0, statement: "") })
    }
    let groups = ListDocument.scenarios(scenarios).groups
    #expect(groups.map(\.title) == ["BooksTrack", "Epilogue", "No case study"])
    #expect(groups.map { $0.rows.map { $0[0].text } } == [["s2"], ["s0", "s3"], ["s1"]])
  }

  @Test func `rows in JSON have numbers, times with zone and the members of objects`() {
    let table = Table(
      id: "t", title: "",
      columns: [.init("number", .trailing), .init("started"), .init("launches"), .init("label")],
      rows: [
        [
          .init("3", json: .int(3)), .init(Timestamp(milliseconds: 1_795_227_498_000)),
          .init("6, 1 failed", json: .object(["launches": .int(6), "failed": .int(1)])),
          .init("42"),
        ]
      ])
    #expect(
      table.json.text(isIndented: false)
        == #"[{"failed":1,"label":"42","launches":6,"number":3,"started":"2026-11-21T02:18:18Z"}]"#)
  }

  @Test func `lists match their snapshots`() {
    let renderer = TextRenderer()
    let tables = [
      ListDocument.scenarios(Self.scenarios), ListDocument.variants(Self.scenarios),
      ListDocument.metrics(MetricCatalog.standardDefinitions),
    ]
    expectSnapshot(
      tables.map { renderer.render(Document(title: "", blocks: [.table($0)])) }
        .joined(separator: "\n"), "lists.txt")
  }
}
