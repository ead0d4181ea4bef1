import PerfModel
import PerfScenario
import Testing

struct ScenarioFileTests {
  /// The documented example of the format.
  static let example = """
    scenario: scroll-1000
    summary: One thousand books, flung from top to bottom and back.
    workload: book.scroll                 # of the worker
    worker: BookWorkloads                 # a product beside perfkit, or a path
    parameters: { books: 1000, columns: 3, refresh: 120, fling: 4000 }
    variants:
      naive:     { decode: full, cache: dictionary, loading: main-thread }
      optimised: { decode: scaled, cache: lru, loading: async, prefetch: 20 }
    default_variant: optimised
    iterations: 10
    warmup: 1
    timeout: 60s
    profile: { rate: 1000 }
    pressure: []                          # injector steps
    budgets:
      - frame.hitch_time_ratio <= 5 ms/s
      - max(frame.overrun.p99) <= 0 ms
      - rss.peak <= 150 MB
    quick: { books: 200, fling: 4000 }    # the small parameter set, for gates
    gate:
      margin: 2%
      metrics: { frame.hitch_time_ratio: { margin: 1 ms/s }, rss.peak: { margin: 3% } }
    """

  @Test
  func `every key of the documented scenario is read`() throws {
    let file = try ScenarioFile(text: Self.example, path: "Scenarios/scroll-1000.yml")
    let scenario = file.scenario
    #expect(scenario.name == "scroll-1000")
    #expect(scenario.summary == "One thousand books, flung from top to bottom and back.")
    #expect(scenario.workload == "book.scroll")
    #expect(scenario.worker == .product("BookWorkloads"))
    #expect(
      scenario.parameters == [
        "books": .int(1000), "columns": .int(3), "refresh": .int(120), "fling": .int(4000),
      ])
    #expect(scenario.variants.map(\.name) == ["naive", "optimised"])
    #expect(
      scenario.variant(named: "naive")?.parameters == [
        "decode": .string("full"), "cache": .string("dictionary"),
        "loading": .string("main-thread"),
      ])
    #expect(scenario.defaultVariant == "optimised")
    #expect(scenario.iterations == 10 && scenario.warmup == 1)
    #expect(scenario.timeout == 60_000_000_000)
    #expect(scenario.profileRate == 1000)
    #expect(scenario.pressure.isEmpty)
    #expect(
      scenario.budgets.map(\.description) == [
        "frame.hitch_time_ratio <= 5 ms/s", "max(frame.overrun.p99) <= 0 ms",
        "rss.peak <= 150 MB",
      ])
    #expect(scenario.budgets.map(\.limit.baseValue) == [5, 0, 150e6])
    #expect(scenario.quick == ["books": .int(200), "fling": .int(4000)])
    #expect(scenario.gate.margin == Scenario.Margin(relative: 0.02))
    #expect(
      scenario.gate.metrics == [
        "frame.hitch_time_ratio": Scenario.Margin(absolute: 1),
        "rss.peak": Scenario.Margin(relative: 0.03),
      ])
  }

  @Test
  func `a scenario may name a case study`() throws {
    func study(_ text: String) throws -> Scenario.CaseStudy? {
      try ScenarioFile(text: head + text, path: "s.yml").scenario.caseStudy
    }
    #expect(try study("") == nil)
    #expect(
      try study("case_study: { study: Epilogue }") == .init(study: "Epilogue", statement: ""))
    #expect(
      try study("case_study:\n  study: Epilogue\n  statement: 18 fps before, 118 after.")
        == .init(study: "Epilogue", statement: "18 fps before, 118 after."))
  }

  @Test
  func `the documented scenario fits its worker`() throws {
    let file = try ScenarioFile(text: Self.example, path: "Scenarios/scroll-1000.yml")
    let checked = try file.checked(against: bookWorkloads)
    // The file has 4000 without a point; the workload declares a double.
    #expect(checked.scenario.parameters["fling"] == .double(4000))
    #expect(checked.workload?.name == "book.scroll")
    #expect(checked.catalog["covers.loaded"]?.dimension == .count)
    #expect(checked.catalog["rss.peak"] != nil)
  }

  @Test
  func `a scenario of four lines uses defaults for the rest`() throws {
    let scenario = try ScenarioFile(text: head, path: "s.yml").scenario
    #expect(scenario.variants == [Scenario.Variant(name: "default", parameters: [:])])
    #expect(scenario.defaultVariant == "default")
    #expect(scenario.iterations == 10 && scenario.warmup == 1)
    #expect(scenario.timeout == 60_000_000_000 && scenario.profileRate == 1000)
    #expect(scenario.budgets.isEmpty && scenario.quick == nil)
    #expect(scenario.gate == Scenario.GatePolicy())
  }

  @Test
  func `a gate may count work, with a margin for a counted metric`() throws {
    let gate = "gate: { count: true, metrics: { work.instructions: { margin: 0.2% } } }"
    let scenario = try ScenarioFile(text: head + gate, path: "s.yml").scenario
    #expect(scenario.countsWork)
    #expect(scenario.gate.counted.margin(of: "work.instructions").relative == 0.002)
    #expect(try !ScenarioFile(text: head, path: "s.yml").scenario.countsWork)
  }

  @Test
  func `a worker with a slash is a path`() throws {
    let text = "scenario: s\nsummary: A.\nworkload: w\nworker: ./build/worker"
    #expect(try ScenarioFile(text: text, path: "s.yml").scenario.worker == .path("./build/worker"))
  }

  @Test
  func `a worker can have arguments, and a command cannot`() throws {
    let text = head + "arguments: [--filter, '', 3]"
    let scenario = try ScenarioFile(text: text, path: "s.yml").scenario
    #expect(scenario.workerArguments == ["--filter", "", "3"])
    #expect(try ScenarioFile(text: head, path: "s.yml").scenario.workerArguments.isEmpty)
    #expect(
      complaint(head + "arguments: --filter")
        == "s.yml:5:12: 'arguments' must be a list of words, e.g. [--filter], not '--filter'.")
    let command = "scenario: s\nsummary: A.\ncommand: [./any]\narguments: [--size]"
    #expect(
      complaint(command)
        == "s.yml:4:1: 'arguments' and 'command' exclude each other. Remove one.")
  }

  @Test
  func `a command replaces the worker and the workload`() throws {
    let text = "scenario: s\nsummary: A.\ncommand: [./any, --size, 3, '']"
    let scenario = try ScenarioFile(text: text, path: "s.yml").scenario
    #expect(scenario.worker == .command(["./any", "--size", "3", ""]))
    #expect(scenario.workload == "")
  }

  @Test
  func `pressure steps are read in order`() throws {
    let text =
      head + """
        parameters: { device_budget: 256 MB }
        pressure:
          - { at: 0s, level: 0.40, hold: 2s }
          - { at: 2s, level: 85%, hold: 500 ms }
        """
    #expect(
      try ScenarioFile(text: text, path: "s.yml").scenario.pressure == [
        Scenario.PressureStep(at: 0, level: 0.4, hold: 2_000_000_000),
        Scenario.PressureStep(at: 2_000_000_000, level: 0.85, hold: 500_000_000),
      ])
  }

  @Test
  func `parameter values follow YAML's core schema`() throws {
    let text =
      head + "parameters: { a: 1, b: -1.5e3, c: true, d: yes, e: '1', f: 1:30, g: inf, h: 0x10 }"
    #expect(
      try ScenarioFile(text: text, path: "s.yml").scenario.parameters == [
        "a": .int(1), "b": .double(-1500), "c": .bool(true), "d": .string("yes"),
        "e": .string("1"), "f": .string("1:30"), "g": .string("inf"), "h": .string("0x10"),
      ])
  }

  /// A budget, and its limit in the base unit.
  @Test(arguments: [
    ("wall <= 60s", 60e9), ("wall <= 2 min", 120e9), ("wall <= 5 us", 5e3),
    ("rss.peak <= 150 MB", 150e6), ("rss.peak <= 1 MiB", 1_048_576), ("rss.peak <= 4 kB", 4000),
    ("frame.hitch_time_ratio <= 5 ms/s", 5), ("cache.hit_ratio >= 80%", 0.8),
    ("cache.hit_ratio >= 0.8 ratio", 0.8), ("frame.rate >= 120 Hz", 120),
    ("frame.dropped == 0 count", 0), ("frame.dropped == 0", 0),
    ("frame.overrun.p99 <= -1.5 ms", -1.5e6),
  ])
  func `the limit of a budget is converted to its base unit`(budget: String, limit: Double) throws {
    let scenario = try ScenarioFile(text: head + "budgets: ['\(budget)']", path: "s.yml").scenario
    let converted = try #require(scenario.budgets.first?.limit.baseValue)
    #expect((converted - limit).magnitude <= 1e-12 * limit.magnitude)
  }

  @Test(arguments: [
    ("wall <= 1 s", Budget.Statistic.percentile(50)), ("min(wall)<=1 s", .min),
    ("mean( wall ) <= 1s", .mean), ("p0(wall) <= 1 s", .percentile(0)),
    ("p99.9(wall) <= 1 s", .percentile(99.9)),
  ])
  func `a budget without a statistic means the median`(
    text: String, statistic: Budget.Statistic
  ) throws {
    let yaml = head + "iterations: 1000\nbudgets:\n  - \(text)"
    let budget = try #require(try ScenarioFile(text: yaml, path: "s.yml").scenario.budgets.first)
    #expect(budget.metric == "wall")
    #expect(budget.statistic == statistic)
    #expect(budget.comparison == .atMost)
  }

  @Test
  func `a margin is relative, absolute, both or inherited`() throws {
    let text =
      head + """
        gate:
          margin: 5%
          metrics:
            wall: { margin: [3%, 1 ms] }
            cpu.total: { margin: 2 ms }
            rss.peak: {}
        """
    let gate = try ScenarioFile(text: text, path: "s.yml").scenario.gate
    #expect(gate.margin(of: "wall") == Scenario.Margin(relative: 0.03, absolute: 1e6))
    #expect(gate.margin(of: "cpu.total") == Scenario.Margin(absolute: 2e6))
    #expect(gate.margin(of: "rss.peak") == Scenario.Margin(relative: 0.05))
    #expect(gate.metrics.count == 3)
  }
}
