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

  @Test func `lists read as recorded`() {
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
