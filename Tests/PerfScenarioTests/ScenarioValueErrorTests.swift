import PerfModel
import PerfScenario
import Testing

/// The messages about invalid units, budgets, gates and pressure, verbatim.
struct ScenarioValueErrorTests {
  // MARK: Units

  @Test(arguments: [
    ("timeout: 60", "5:10: '60' has no unit. Write it like '60s'."),
    ("timeout: soon", "5:10: 'soon' does not begin with a number. Write it like '60s'."),
    (
      "timeout: 60 sec",
      "5:10: unknown unit 'sec' in '60 sec'"
        + ". Units: ns, us, ms, s, min, B, kB, MB, GB, KiB, MiB, GiB, ...."
    ),
    (
      "timeout: 60 MB", "5:10: timeout is not measured in 'MB'. Units: ns, us, ms, s, min."
    ),
    ("timeout: 0s", "5:10: 'timeout' is 0 s, but must be above 0, to 24 hours."),
    ("timeout: 25000 min", "5:10: 'timeout' is 25000 min, but must be above 0, to 24 hours."),
    ("profile: { rate: 1 kHz }", "5:18: unknown unit 'kHz' in '1 kHz'; did you mean 'Hz'?"),
    (
      "parameters: { device_budget: 256 Mb }",
      "5:30: unknown unit 'Mb' in '256 Mb'; did you mean 'MB'?"
    ),
    ("parameters: { device_budget: 256 }", "5:30: '256' has no unit. Write it like '256 MB'."),
    (
      "parameters: { jetsam_limit: 0 MB }",
      "5:29: 'jetsam_limit' is 0 MB, but must be 1 B to 1,000,000 GB."
    ),
    (
      "parameters: { sample_rate: 1 kHz }",
      "5:28: 'sample_rate' must be a whole number of Hz, not '1 kHz'."
    ),
    ("parameters: { sample_rate: -1 }", "5:28: 'sample_rate' is -1, but must be 0 to 20000."),
    (
      "parameters: { page_cache: cool }",
      "5:27: 'page_cache' cannot be 'cool'. Choices: warm, cold."
    ),
  ])
  func `invalid units are refused with a remedy`(line: String, message: String) {
    #expect(complaint(head + line) == "s.yml:" + message)
  }

  // MARK: Budgets, gates, pressure

  @Test(arguments: [
    (
      "rss.peak = 150 MB",
      "5: budget 'rss.peak = 150 MB' has no '<=', '>=' or '=='. "
        + "Write it like 'max(frame.overrun.p99) <= 0 ms'."
    ),
    (
      "<= 150 MB",
      "5: budget '<= 150 MB' names no metric. Write it like 'max(frame.overrun.p99) <= 0 ms'."
    ),
    (
      "max() <= 150 MB",
      "5: budget 'max() <= 150 MB' names no metric. Write it like 'max(frame.overrun.p99) <= 0 ms'."
    ),
    (
      "max(wall <= 1 s",
      "5: budget 'max(wall <= 1 s' has '(' without one ')' after the metric. "
        + "Write it like 'max(frame.overrun.p99) <= 0 ms'."
    ),
    (
      "wall) <= 1 s",
      "5: budget 'wall) <= 1 s' has ')' without '('. "
        + "Write it like 'max(frame.overrun.p99) <= 0 ms'."
    ),
    ("maxi(wall) <= 1 s", "5: unknown statistic 'maxi'; did you mean 'max'?"),
    (
      "median(wall) <= 1 s",
      "5: unknown statistic 'median'; did you mean 'mean'?"
    ),
    (
      "p101(wall) <= 1 s",
      "5: unknown statistic 'p101'. Statistics: min, mean, max, p50, p95, p99."
    ),
    ("rss.peak <= 150", "17: '150' has no unit. Write it like '150 MB'."),
    ("rss.peak <= lots", "17: 'lots' does not begin with a number. Write it like '150 MB'."),
    ("rss.peak <= 150 Mb", "17: unknown unit 'Mb' in '150 Mb'; did you mean 'MB'?"),
    (
      "rss.peak <= 150 ms",
      "17: rss.peak is not measured in 'ms'. Units: B, kB, MB, GB, KiB, MiB, GiB."
    ),
    (
      "p95(wall) <= 1 s",
      "5: p95 needs at least 20 launches, but 'iterations' is 10. Write 'max(wall)', or 'iterations: 20'."
    ),
    (
      "p5(wall) <= 1 s",
      "5: p5 needs at least 20 launches, but 'iterations' is 10. Write 'min(wall)', or 'iterations: 20'."
    ),
  ])
  func `invalid budgets are refused with a remedy`(budget: String, message: String) {
    #expect(complaint(head + "budgets:\n  - \(budget)") == "s.yml:6:" + message)
  }

  @Test
  func `a location inside a quoted budget counts the quote`() {
    // The metric begins at the quote (column 5), and its limit 13 characters later.
    #expect(
      complaint(head + "budgets:\n  - 'rss.peak <= 150 Mb'")
        == "s.yml:6:18: unknown unit 'Mb' in '150 Mb'; did you mean 'MB'?")
  }

  @Test(arguments: [
    ("margin: 2", "5:17: '2' has no unit. Write it like '2%'."),
    ("margin: 0%", "5:17: 'margin' is 0%, but must be above 0."),
    ("margin: {}", "5:17: 'margin' must be like '2%', not a mapping."),
    ("margin: []", "5:17: 'margin' must be like '2%' or '1 ms/s', not a list."),
    (
      "margin: [1%, 2%]",
      "5:22: 'margin' must be one percentage, one amount, or one of each, not two of a kind."
    ),
    (
      "margin: 1 ms",
      "5:17: '1 ms' cannot be the margin of every metric, because metrics have different units. "
        + "Write a percentage like '2%', or set the margin of a metric under 'metrics'."
    ),
    ("metrics: [wall]", "5:18: 'metrics' must be a mapping, not a list."),
    (
      "metrics: { frame.count: {} }",
      "5:20: 'frame.count' has no better direction, so it can neither gate nor be a control. "
        + "Remove it."
    ),
    (
      "metrics: { wall: { margin: 1 MB } }",
      "5:36: wall is not measured in 'MB'. Units: ns, us, ms, s, min."
    ),
  ])
  func `invalid gates are refused with a remedy`(gate: String, message: String) {
    #expect(complaint(head + "gate: { \(gate) }") == "s.yml:" + message)
  }

  @Test(arguments: [
    ("controls: { metric: [wall] }", "unknown key 'metric' in 'controls'; did you mean 'metrics'?"),
    ("controls: { metrics: wall }", "'metrics' must be a list of names, not 'wall'."),
    ("controls: { metrics: [rss.peek] }", "unknown metric 'rss.peek'; did you mean 'rss.peak'?"),
    ("controls: { metrics: [frame.count] }", "so it can neither gate nor be a control. Remove it."),
    (
      "gate: { metrics: { wall: {} } }\ncontrols: { metrics: [wall] }",
      "'wall' gates, so it cannot be a control as well. Remove it from one of the two."
    ),
  ])
  func `invalid controls are refused with a remedy`(text: String, message: String) {
    #expect(workerComplaint(head + text)?.contains(message) == true)
  }

  @Test
  func `controls are read as written`() throws {
    let file = try ScenarioFile(
      text: head + "controls: { metrics: [rss.peak], functions: [decode(_:)], scenarios: [t] }",
      path: "s.yml")
    let controls = try file.checked(against: bookWorkloads).scenario.controls
    #expect(controls.metrics == ["rss.peak"])
    #expect(controls.functions == ["decode(_:)"])
    #expect(controls.scenarios == ["t"])
  }

  @Test(arguments: [
    (
      "{ level: 1, hold: 1s }", "6:13: a pressure step has no key 'at'. Add 'at: ...'."
    ),
    (
      "{ at: 0s, levels: 1, hold: 1s }",
      "6:23: unknown key 'levels' in a pressure step; did you mean 'level'?"
    ),
    (
      "{ at: 0s, level: 1.6, hold: 1s }",
      "6:30: 'level' is 1.6, but must be a fraction from 0 to 1.5, or a percentage."
    ),
    (
      "{ at: 0s, level: high, hold: 1s }",
      "6:30: 'high' does not begin with a number. Write it like '0.4 or 40%'."
    ),
    ("{ at: -1s, level: 1, hold: 1s }", "6:19: 'at' is -1 s, but must be 0s to 24 hours."),
    ("{ at: 0s, level: 1, hold: 0s }", "6:39: 'hold' is 0 s, but must be above 0, to 24 hours."),
    (
      "{ at: 0s, level: 1, hold: 2s }, { at: 1s, level: 1, hold: 1s }",
      "6:45: this pressure step begins before the previous step ends. Increase its 'at'."
    ),
  ])
  func `invalid pressure steps are refused with a remedy`(steps: String, message: String) {
    let text = head + "parameters: { device_budget: 1 GB }\npressure: [ \(steps) ]"
    #expect(complaint(text) == "s.yml:" + message)
  }

  @Test
  func `pressure requires a device budget, shared or in each variant`() {
    let step = "pressure: [{ at: 0s, level: 0.4, hold: 1s }]\n"
    let message =
      "s.yml:5:1: 'pressure' needs a 'device_budget' among the parameters. Add one like "
      + "'device_budget: 256 MB'."
    #expect(complaint(head + step) == message)
    let one = "variants: { a: { device_budget: 1 GB }, b: {} }\ndefault_variant: a"
    #expect(complaint(head + step + one) == message)
    let both =
      "variants: { a: { device_budget: 1 GB }, b: { device_budget: 2 GB } }\ndefault_variant: a"
    #expect(complaint(head + step + both) == nil)
  }
}
