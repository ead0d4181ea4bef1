import PerfModel
import PerfScenario
import Testing

struct ExpectationTextTests {
  private static let variants = """
    variants: { naive: {}, cached-components: {}, frame: {} }
    default_variant: naive

    """

  /// Reads a scenario with one expectation.
  private func expectation(_ text: String) throws -> ScenarioExpectation {
    let scenario = try ScenarioFile(
      text: head + Self.variants + "expects:\n  - \(text)\n", path: "s.yml"
    ).scenario
    return try #require(scenario.expectations.first)
  }

  private func complaint(of text: String, line: Int = 8) -> String? {
    workerComplaint(head + Self.variants + "expects:\n  - \(text)\n")?
      .replacing("s.yml:\(line):", with: "")
  }

  @Test(arguments: [
    "frame.hitch_count(naive) >= 20", "naive.frame.hitch_count >= 20",
    "frame.hitch_count( naive )>=20 count",
  ])
  func `a bound names its metric and its variant in either notation`(text: String) throws {
    let expectation = try expectation(text)
    #expect(expectation.description == text)
    #expect(expectation.variants == ["naive"])
    #expect(expectation.metrics == ["frame.hitch_count"])
    #expect(expectation.relation == .atLeast)
    #expect(expectation.left == .metric("frame.hitch_count(naive)"))
    #expect(expectation.right == .number(.init(20)))
  }

  @Test func `both sides are formulas over several variants`() throws {
    let expectation = try expectation(
      "rss.peak(naive) - 1 MB > 1.5 * max(rss.peak(cached-components), frame.rss.peak)")
    #expect(expectation.variants == ["naive", "cached-components", "frame"])
    #expect(expectation.metrics == ["rss.peak"])
    #expect(expectation.relation == .above)
  }

  @Test func `a variant named like the beginning of a metric is not mistaken for it`() throws {
    let expectation = try expectation("frame.rate(frame) < frame.rate(naive)")
    #expect(expectation.readings.map(\.description) == ["frame.rate(frame)", "frame.rate(naive)"])
  }

  @Test(arguments: [
    ("frame.rate(naive)", "5: expectation 'frame.rate(naive)' has no '<=', '>=', '==', '<' or '>'"),
    ("1 < 2", "5: expectation '1 < 2' names no metric of a variant"),
    ("wall <= 5 s", "5: expectation 'wall <= 5 s' names no variant of 'wall'; write wall(VARIANT)"),
    ("wall(naiv) <= 5 s", "10: unknown variant 'naiv'; did you mean 'naive'?"),
    ("5 s >= wall(nope)", "17: unknown variant 'nope'"),
    ("wal(naive) <= 5 s", "5: unknown metric 'wal'; did you mean 'wall'?"),
    ("wall(naive) <= 5 parsec", "22: unknown unit 'parsec'"),
    (
      "wall(naive) <= 5 MB",
      "5: expectation 'wall(naive) <= 5 MB' has no meaning: time and size cannot be compared"
    ),
    (
      "wall(naive) + rss.peak(naive) <= 5 s",
      "5: expectation 'wall(naive) + rss.peak(naive) <= 5 s' has no meaning: time + size is undefined"
    ),
    ("wall(naive <= 5 s", "16: expectation 'wall(naive <= 5 s' lacks a ')'"),
    ("wall(naive) <=", "19: expectation 'wall(naive) <=' ends where a number is expected"),
  ])
  func `an invalid expectation is reported with its place and the correction`(
    text: String, message: String
  ) throws {
    let found = try #require(complaint(of: text))
    // A second fault may follow from the first one.
    #expect(found.contains(message), "\(found)")
  }
}

struct CalibrationTextTests {
  private func text(_ section: String, variants: String = "{ naive: {}, tuned: {} }") -> String {
    head + "variants: \(variants)\ndefault_variant: naive\ncalibrate: \(section)\n"
  }

  private static let section =
    "{ parameter: books, variant: naive, metric: frame.cost.p50, target: 1.5 frames, "
    + "range: 100...8000 }"

  @Test func `the size of the work is fitted to the frame`() throws {
    let scenario = try ScenarioFile(text: text(Self.section), path: "s.yml")
      .checked(against: bookWorkloads).scenario
    let calibration = try #require(scenario.calibration)
    #expect(calibration.target == .frames(1.5))
    #expect(calibration.range == 100...8000)
    #expect(
      "\(calibration)" == "books 100...8000 for frame.cost.p50(naive) = 1.5 frames")
  }

  @Test func `a target may be a quantity of the metric`() throws {
    let section = Self.section.replacing("1.5 frames", with: "12 ms")
    let scenario = try ScenarioFile(text: text(section), path: "s.yml")
      .checked(against: bookWorkloads).scenario
    #expect(scenario.calibration?.target == .quantity(Quantity(12, .milliseconds)))
  }

  @Test(arguments: [
    ("books", "book", "workload 'book.scroll' has no parameter 'book'; did you mean 'books'?"),
    ("books", "cache", "'parameter' must be a parameter that is a number"),
    ("variant: naive", "variant: nave", "unknown variant 'nave'; did you mean 'naive'?"),
    ("cost.p50", "cots.p50", "unknown metric 'frame.cots.p50'; did you mean 'frame.cost.p50'?"),
    ("1.5 frames", "1.5 MB", "frame.cost.p50 is not measured in 'MB'"),
    ("1.5 frames", "0 ms", "'target' is 0 ms, but must be above 0"),
    ("100...8000", "8000...100", "'range' must be two positive numbers like '1000...8000'"),
    ("100...8000", "100...80000", "'range' exceeds the values that workload 'book.scroll' allows"),
  ])
  func `an invalid rule of calibration is reported`(
    part: String, change: String, message: String
  ) throws {
    let complaint = try #require(
      workerComplaint(text(Self.section.replacing(part, with: change, maxReplacements: 1))))
    #expect(complaint.contains(message), "\(complaint)")
  }

  @Test func `no variant sets the calibrated parameter`() throws {
    let complaint = workerComplaint(
      text(Self.section, variants: "{ naive: {}, tuned: { books: 5 } }"))
    #expect(complaint?.contains("variant 'tuned' sets 'books'") == true)
  }
}
