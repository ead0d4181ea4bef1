import PerfModel
import PerfScenario
import Testing

/// The checks that need the worker's description.
struct CheckedScenarioTests {
  @Test(arguments: [
    (
      "parameters: { book: 5 }",
      "5:15: workload 'book.scroll' has no parameter 'book'; did you mean 'books'?"
    ),
    (
      "quick: { size: 5 }",
      "5:10: workload 'book.scroll' has no parameter 'size'. Parameters: books, columns, refresh, "
        + "fling, decode, cache, loading, prefetch, covers, paced, page_cache, device_budget, ...."
    ),
    (
      "variants: { a: { cach: lru } }",
      "5:18: workload 'book.scroll' has no parameter 'cach'; did you mean 'cache'?"
    ),
    ("parameters: { books: many }", "5:22: 'books' must be a whole number, not 'many'."),
    ("parameters: { books: 1.5 }", "5:22: 'books' must be a whole number, not '1.5'."),
    ("parameters: { books: '5' }", "5:22: 'books' must be a whole number, not '5'."),
    ("parameters: { books: 0 }", "5:22: 'books' is 0, but must be 1 to 10000."),
    ("parameters: { columns: 0 }", "5:24: 'columns' is 0, but must be 1 or more."),
    ("parameters: { prefetch: 101 }", "5:25: 'prefetch' is 101, but must be 100 or less."),
    ("parameters: { fling: fast }", "5:22: 'fling' must be a number, not 'fast'."),
    ("parameters: { paced: yes }", "5:22: 'paced' must be true or false, not 'yes'."),
    (
      "parameters: { decode: scale }",
      "5:23: 'decode' cannot be 'scale'; did you mean 'scaled'?"
    ),
    (
      "parameters: { decode: 5 }", "5:23: 'decode' cannot be '5'. Choices: full, scaled."
    ),
    ("budgets: [rss.peek <= 1 MB]", "5:11: unknown metric 'rss.peek'; did you mean 'rss.peak'?"),
    (
      "budgets: [max(covers.load) <= 1 count]",
      "5:15: unknown metric 'covers.load'; did you mean 'covers.loaded'?"
    ),
    (
      "budgets: [covers.loaded >= 5 ms]",
      "5:28: covers.loaded is not measured in 'ms'. Units: count."
    ),
    (
      "gate: { metrics: { nonsense: {} } }",
      "5:20: unknown metric 'nonsense'. 'perfkit list metrics' lists all metrics."
    ),
  ])
  func `names and values that the worker does not know are refused`(line: String, message: String) {
    #expect(workerComplaint(head + line) == "s.yml:" + message)
  }

  @Test
  func `an unknown workload is reported with its location`() {
    let text = "scenario: s\nsummary: A.\nworker: W\nworkload: book.scrol"
    #expect(
      workerComplaint(text)
        == "s.yml:4:11: BookWorkloads has no workload 'book.scrol'; did you mean 'book.scroll'?")
  }

  @Test
  func `counters of the worker may have budgets and gate`() throws {
    let text =
      head + "budgets: [covers.loaded >= 100 count]\n"
      + "gate: { metrics: { covers.loaded: { margin: 3 count } } }"
    #expect(workerComplaint(text) == nil)
  }

  @Test
  func `checking keeps all values and gives parameters their types`() throws {
    let text =
      head + """
        case_study: { study: Epilogue, statement: 18 fps before and 118 fps after. }
        parameters: { books: 500, fling: 3, device_budget: 256 MB }
        variants: { a: { decode: full }, b: { prefetch: 20 } }
        default_variant: b
        iterations: 7
        warmup: 2
        timeout: 30s
        profile: { rate: 500 }
        pressure: [{ at: 1s, level: 0.6, hold: 2s }]
        budgets: [covers.loaded >= 100 count]
        quick: { books: 100 }
        gate: { margin: 3%, metrics: { covers.loaded: {} } }
        controls: { functions: [sort] }
        """
    let file = try ScenarioFile(text: text, path: "s.yml")
    let scenario = try file.checked(against: bookWorkloads).scenario
    #expect(
      scenario.caseStudy
        == Scenario.CaseStudy(study: "Epilogue", statement: "18 fps before and 118 fps after."))
    #expect(
      scenario.parameters
        == ["books": .int(500), "fling": .double(3), "device_budget": .string("256 MB")])
    #expect(
      scenario.variants.map(\.parameters) == [["decode": .string("full")], ["prefetch": .int(20)]])
    #expect(scenario.quick == ["books": .int(100)])
    var untyped = scenario
    untyped.parameters = file.scenario.parameters
    untyped.variants = file.scenario.variants
    untyped.quick = file.scenario.quick
    #expect(untyped == file.scenario)
  }

  @Test
  func `a command accepts harness parameters and no others`() throws {
    let text = "scenario: s\nsummary: A.\ncommand: [./any]\nparameters: { page_cache: cold }"
    let checked = try ScenarioFile(text: text, path: "s.yml").checked(against: nil)
    let plan = try checked.settings()
    #expect(plan.parameters.isEmpty && plan.isPageCacheCold)
    let wrong = "scenario: s\nsummary: A.\ncommand: [./any]\nparameters: { books: 5 }"
    let error = #expect(throws: ScenarioError.self) {
      try ScenarioFile(text: wrong, path: "s.yml")
    }
    #expect(
      error?.description
        == "s.yml:4:15: a command has no parameter 'books', only page_cache, device_budget, "
        + "jetsam_limit, sample_rate. Put the command's arguments into 'command'.")
  }
}

/// The settings of a variant.
struct VariantSettingsTests {
  func scenario(_ text: String) throws -> CheckedScenario {
    try ScenarioFile(text: head + text, path: "s.yml").checked(against: bookWorkloads)
  }

  @Test
  func `the command line overrides the variant, the small set, the scenario and the defaults`()
    throws
  {
    let checked = try scenario(
      """
      parameters: { books: 500, columns: 4, prefetch: 5 }
      variants: { a: { prefetch: 20, decode: full }, b: {} }
      default_variant: b
      quick: { books: 100, prefetch: 1 }
      """)
    let full = try checked.settings(variant: "a")
    #expect(full.variant.name == "a")
    #expect(full.parameters["books"] == .int(500))
    #expect(full.parameters["prefetch"] == .int(20))
    #expect(full.parameters["decode"] == .string("full"))
    #expect(full.parameters["refresh"] == .int(120))
    #expect(full.parameters.count == 10)
    let quick = try checked.settings(isQuick: true)
    #expect(quick.variant.name == "b")
    #expect(quick.parameters["books"] == .int(100))
    #expect(quick.parameters["columns"] == .int(4))
    #expect(quick.parameters["prefetch"] == .int(1))
    let set = try checked.settings(
      variant: "a", isQuick: true,
      overrides: ["prefetch=7", "fling=3", "covers=/a=b", "prefetch=8"].map {
        try ParameterOverride(argument: $0)
      })
    #expect(set.parameters["prefetch"] == .int(8))
    #expect(set.parameters["fling"] == .double(3))
    #expect(set.parameters["covers"] == .string("/a=b"))
  }

  @Test
  func `the conditions name the workload, the rate and the conditions that the harness creates`()
    throws
  {
    let plain = try scenario("profile: { rate: 500 }")
    let rate = try plain.settings().rate(in: plain.scenario)
    #expect(
      try plain.settings().conditions(in: plain.scenario, rate: rate)
        == "workload=book.scroll rate=500")
    let pressed = try scenario(
      "parameters: { page_cache: cold, device_budget: 256 MB, jetsam_limit: 1 GB, sample_rate: 0 }\n"
        + "pressure: [{ at: 1s, level: 0.5, hold: 2s }]")
    let settings = try pressed.settings()
    #expect(
      settings.conditions(in: pressed.scenario, rate: settings.rate(in: pressed.scenario))
        == "workload=book.scroll rate=0 page_cache=cold device_budget=256000000 "
        + "jetsam_limit=1000000000 pressure=1000000000:0.5:2000000000")
    let text = "scenario: s\nsummary: A.\ncommand: [./any, 'two words']"
    let command = try ScenarioFile(text: text, path: "s.yml").checked(against: nil)
    #expect(
      try command.settings().conditions(in: command.scenario, rate: 0)
        == "command=./any two words rate=0")
  }

  @Test
  func `a number given for a text parameter keeps its notation`() throws {
    let plan = try scenario("parameters: { covers: 007 }").settings(
      overrides: [])
    #expect(plan.parameters["covers"] == .string("007"))
  }

  @Test
  func `harness parameters are separated and converted`() throws {
    let checked = try scenario(
      "parameters: { page_cache: warm, device_budget: 256 MB, jetsam_limit: 1.4 GB, "
        + "sample_rate: 0 }")
    let plan = try checked.settings()
    #expect(!plan.isPageCacheCold)
    #expect(plan.deviceBudget == 256_000_000)
    #expect(plan.jetsamLimit == 1_400_000_000)
    #expect(plan.sampleRate == 0)
    #expect(plan.parameters["device_budget"] == nil)
    let cold = try checked.settings(overrides: [
      ParameterOverride(argument: "page_cache=cold"),
      ParameterOverride(argument: "device_budget=1 GiB"),
    ])
    #expect(cold.isPageCacheCold)
    #expect(cold.deviceBudget == 1_073_741_824)
  }

  @Test(arguments: [
    ("books", "--set books: the '=' is missing. Write it like 'books=200'."),
    ("=5", "--set =5: the '=' is missing. Write it like 'books=200'."),
    (
      "boks=5",
      "--set boks=5: workload 'book.scroll' has no parameter 'boks'; did you mean 'books'?"
    ),
    ("books=", "--set books=: 'books' must be a whole number, not ''."),
    ("books=99999", "--set books=99999: 'books' is 99999, but must be 1 to 10000."),
    ("page_cache=hot", "--set page_cache=hot: 'page_cache' cannot be 'hot'. Choices: warm, cold."),
    (
      "device_budget=256",
      "--set device_budget=256: '256' has no unit. Write it like '256 MB'."
    ),
  ])
  func `invalid settings of the command line are refused`(argument: String, message: String) throws
  {
    let checked = try scenario("")
    let error = #expect(throws: ScenarioError.self) {
      try checked.settings(overrides: [ParameterOverride(argument: argument)])
    }
    #expect(error?.description == message)
  }

  @Test
  func `the error of an unknown variant names the nearest one`() throws {
    let checked = try scenario("variants: { naive: {}, optimised: {} }\ndefault_variant: naive")
    let error = #expect(throws: ScenarioError.self) { try checked.settings(variant: "optimized") }
    #expect(
      error?.description
        == "scenario 's' has no variant 'optimized'; did you mean 'optimised'?")
  }
}
