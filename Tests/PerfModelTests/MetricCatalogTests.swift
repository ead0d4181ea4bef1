import PerfModel
import Testing

struct MetricCatalogTests {
  @Test func `metric names are unique, dotted and lower-case`() {
    let names = MetricCatalog.standardDefinitions.map(\.name)
    #expect(Set(names).count == names.count)
    for name in names {
      #expect(name.wholeMatch(of: /[a-z][a-z0-9_]*(\.[a-z0-9_]+)*/) != nil, "\(name)")
    }
    #expect(MetricCatalog.standard.names == names.sorted())
  }

  @Test func `every metric summary is a sentence`() {
    for definition in MetricCatalog.standardDefinitions {
      #expect(definition.summary.hasSuffix("."), "\(definition.name)")
      #expect(definition.summary.first?.isUppercase == true || definition.summary.first == "9")
    }
  }

  @Test func `metrics that can be zero or negative are compared by difference`() {
    for definition in MetricCatalog.standardDefinitions
    where definition.name.contains("hitch") || definition.name.contains("overrun")
      || definition.dimension == .count || definition.dimension == .ratio
    {
      // Each program executes instructions.
      if MetricName.work.contains(definition.name) { continue }
      #expect(definition.scale == .difference, "\(definition.name)")
    }
  }

  @Test func `a worker's counters are added and never replace the harness's metrics`() {
    func counter(_ name: String) -> MetricDefinition {
      MetricDefinition(
        name: name, dimension: .count, direction: .higher, scale: .difference,
        summary: "A worker's own.")
    }
    let catalog = MetricCatalog.standard.adding([counter("books.shown"), counter("wall")])
    #expect(catalog["books.shown"]?.summary == "A worker's own.")
    #expect(catalog["wall"]?.dimension == .time)
    #expect(catalog["none"] == nil)
    #expect(MetricCatalog.standard["books.shown"] == nil)
  }

  @Test func `the later of two definitions with one name is used`() {
    let definitions = [Direction.lower, .higher].map {
      MetricDefinition(
        name: "x", dimension: .count, direction: $0, scale: .difference, summary: "X.")
    }
    #expect(MetricCatalog(definitions)["x"]?.direction == .higher)
  }

  @Test func `every metric has the base unit of its dimension`() {
    #expect(MetricCatalog.standard["rss.peak"]?.baseUnit == .bytes)
    #expect(MetricCatalog.standard["frame.hitch_time_ratio"]?.baseUnit == .millisecondsPerSecond)
  }
}
