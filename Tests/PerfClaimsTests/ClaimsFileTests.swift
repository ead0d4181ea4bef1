import Foundation
import PerfModel
import PerfScenario
import PerfTestSupport
import Testing

@testable import PerfClaims

/// Returns the error message for a claim whose keys begin in line 3, column 5; nil if it is valid.
private func complaint(_ claim: String) -> String? {
  let lines = claim.split(separator: "\n").map { "    \($0)\n" }.joined()
  return fileComplaint("study: S\nclaims:\n  - " + lines.dropFirst(4))
}

/// Returns the error message for a file; nil if it is valid.
private func fileComplaint(_ text: String) -> String? {
  do throws(ScenarioError) {
    _ = try ClaimsFile.study(of: text, path: "c.yml")
    return nil
  } catch {
    return error.description
  }
}

/// The first two keys of a claim; tests add the others from line 5 on.
private let start = "id: E1.1\nquote: words\n"
private let measured = "after: a:b\nmetric: wall\n"

struct ClaimsFileTests {
  private func claim(_ text: String) throws -> Claim {
    let lines = (start + text).split(separator: "\n").map { "    \($0)\n" }.joined()
    let study = try ClaimsFile.study(
      of: "study: Epilogue\nclaims:\n  - " + lines.dropFirst(4), path: "c.yml")
    return try #require(study.claims.first)
  }

  @Test func `a claim about one state is read from a file`() throws {
    let claim = try claim("claimed: < 100 ms\n" + measured + "note: On a disk.")
    #expect(
      claim
        == Claim(
          id: "E1.1", study: "Epilogue", quote: "words",
          assertion: Assertion(.below, Quantity(100, .milliseconds)),
          evidence: .measured(
            .init(
              before: nil,
              after: .init(
                source: .init(scenario: "a", variant: "b"), formula: .metric("wall"), text: "wall"))
          ),
          note: "On a disk."))
  }

  @Test func `the kinds of a claim are read from a file`() throws {
    let claim = try claim(
      "claimed: less > 1x\nbefore: c:d\n" + measured + "stated: It is an input.\ncap: 120 fps\n"
        + "cause:\n  because: it waits\n  claimed: < 1 s\n  after: e:f\n  metric: wall\n")
    #expect(claim.stated == "It is an input.")
    #expect(claim.cap == Quantity(120, .framesPerSecond))
    #expect(claim.cause?.text == "it waits")
    #expect(claim.cause?.test?.assertion == Assertion(.below, Quantity(1, .seconds)))
    #expect(claim.readings.map(\.source.description) == ["c:d", "a:b", "e:f"])
  }

  @Test func `a cause needs a measurement unless two variants differ in it`() throws {
    let one = "claimed: < 100 ms\n" + measured
    #expect(complaint(start + one + "cause: { because: it waits }")?.contains("'claimed'") == true)
    let two = "claimed: less > 1x\nbefore: c:d\n" + measured + "cause: { because: it waits }"
    #expect(try claim(two).cause == .init(text: "it waits", test: nil))
    #expect(complaint(start + one + "cap: 120 fps")?.contains("'before'") == true)
  }

  @Test func `the headline numbers of a study are ordered and belong to its claims`() throws {
    let claims =
      "claims:\n  - { id: E1.1, quote: q, not_testable: It is far. }\n"
      + "  - { id: E1.2, quote: q, not_testable: It is far. }\n"
    let study = try ClaimsFile.study(
      of: "study: S\nstory: It happened.\nheadlines: { E1.2: second, E1.1: first }\n" + claims,
      path: "c.yml")
    #expect(study.headlines.map(\.id) == ["E1.2", "E1.1"])
    #expect(study.story == "It happened.")
    #expect(
      fileComplaint("study: S\nheadlines: { E1.3: third }\n" + claims)
        == "c.yml:2:14: 'headlines' names the claim 'E1.3', but the file has no such claim.")
  }

  @Test func `a claim about a change may read another metric before the change`() throws {
    let claim = try claim(
      "claimed: less = 55x\nheld: within 2x\nbefore: c:d\nbefore_metric: rss.peak\n" + measured)
    #expect(
      claim.assertion
        == Assertion(.less, .equal, Quantity(baseValue: 55, unit: .ratio), tolerance: .factor(2)))
    #expect(claim.readings.map(\.source.description) == ["c:d", "a:b"])
    #expect(claim.readings.map(\.text) == ["rss.peak", "wall"])
  }

  @Test(arguments: [
    ("exactly", Assertion.Tolerance.exactly), ("at most", .atMost), ("at least", .atLeast),
    ("within 1.5x", .factor(1.5)), ("+- 1%", .difference(Quantity(1, .percent))),
  ])
  func `each form of tolerance is read`(text: String, tolerance: Assertion.Tolerance) throws {
    let claim = try claim("claimed: = 80 ... 95%\nheld: \(text)\n" + measured)
    #expect(
      claim.assertion
        == Assertion(
          .equal, Quantity(80, .percent), to: Quantity(95, .percent), tolerance: tolerance))
  }

  /// 284 x 8 + 71 x 82 = 8,094; 0.02 / 12 = 0.001667.
  private static let sums: [(String, Double)] = [
    ("(284 * 8 ms + 71 * 82 ms) * 2", 16_188_000_000), ("2 + 3 * 4 - 10 / 5", 12),
    ("(2 + 3) * 4", 20), ("8 - 4 - 2", 2), ("max(1, min(5, 7), 2)", 5), ("4000*6000*4 B", 96e6),
    ("1 - 3% / 12%", 0.75), ("5 ms/s", 5), ("60 fps/3", 20),
  ]

  @Test(arguments: sums)
  func `formulas follow the usual precedence of operators`(text: String, value: Double) throws {
    let claim = try claim("claimed: = 1 count\nheld: exactly\nformula: \(text)")
    guard case .computed(let formula, let written) = claim.evidence else {
      Issue.record("the evidence is not a formula")
      return
    }
    #expect(abs(try formula.value().baseValue - value) <= abs(value) * 1e-12)
    #expect(written == text)
  }

  @Test func `an untestable claim needs a reason and no tolerance`() throws {
    let claim = try claim("claimed: = 12%\nnot_testable: Other people's phones.")
    #expect(claim.evidence == .notTestable(because: "Other people's phones."))
    #expect(claim.readings.isEmpty)
    #expect(try self.claim("not_testable: No number.").assertion == nil)
  }

  @Test func `an ID that two files use is refused`() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] {
      let text = "study: S\nclaims:\n  - { id: E1.1, quote: q, not_testable: n }\n"
      try Data(text.utf8).write(to: URL(filePath: folder("\(name).yml")))
    }
    let error = #expect(throws: ScenarioError.self) {
      try ClaimsFile.studies(inFolder: folder.path).flatMap(\.claims)
    }
    #expect(
      error?.description
        == "\(folder("b.yml")):3:11: the claim ID 'E1.1' is already in use. Choose another.")
  }
}

/// Tests of the exact error messages for invalid claim files.
struct ClaimComplaintTests {
  @Test(arguments: [
    ("claims: []", "c.yml:1:1: the file has no key 'study'. Add 'study: ...'."),
    ("study: S", "c.yml:1:1: the file has no key 'claims'. Add 'claims: ...'."),
    (
      "study: S\nclaims: {}",
      "c.yml:2:9: 'claims' must be a list of claims, not a mapping."
    ),
    (
      "study: S\nclaim: []",
      "c.yml:2:1: unknown key 'claim' in the file; did you mean 'claims'?"
    ),
    ("study: S\nclaims: [x]", "c.yml:2:10: 'a claim' must be a mapping, not 'x'."),
  ])
  func `files of another structure are refused`(text: String, message: String) {
    #expect(fileComplaint(text) == message)
  }

  @Test(arguments: ["E1", "E1.", "1.1", "E.1", "E1.0", "E1.1.1", "e1.1", "E1.-1", "E1.x"])
  func `an ID that is not an item and a number is refused`(id: String) {
    #expect(
      complaint("id: '\(id)'")
        == "c.yml:3:9: '\(id)' is not a claim ID. Write the case study's item and a number, e.g. "
        + "'E17.2'.")
  }

  private static let claimHint =
    "Write e.g. '< 100 ms', '= 400 ... 500 count' or 'less = 55x'."
  private static let heldHint =
    "Write 'exactly', 'at most', 'at least', 'within 2x' or '+- 1%'."

  @Test(arguments: [
    ("100 ms", "c.yml:5:14: '100 ms' is not a claim. \(claimHint)"),
    ("about = 5 ms", "c.yml:5:14: 'about = 5 ms' is not a claim. \(claimHint)"),
    ("= 500 ... 400 count", "c.yml:5:14: '= 500 ... 400 count' is not a claim. \(claimHint)"),
    ("< 4 ... 5 count", "c.yml:5:14: '< 4 ... 5 count' is not a claim. \(claimHint)"),
    ("= a ... 5 count", "c.yml:5:14: '= a ... 5 count' is not a claim. \(claimHint)"),
    ("< 100", "c.yml:5:14: '100' has no unit. Write it like '100 ms'."),
    ("less < 5", "c.yml:5:14: '5' is not a factor. Write e.g. '2x'."),
    ("less < -5x", "c.yml:5:14: '-5x' is not a factor. Write e.g. '2x'."),
    ("reduction < 5 ms", "c.yml:5:14: a reduction is not measured in 'ms'. Units: ratio, %."),
    ("= 5 ms", "c.yml:5:14: a claim of equality has no key 'held'. Add 'held: ...'."),
  ])
  func `a claim that is not a number with a relation is refused`(text: String, message: String) {
    #expect(complaint(start + "claimed: '\(text)'\nbefore: a:b\n" + measured) == message)
  }

  @Test(arguments: [
    ("nearly", "c.yml:5:14: 'nearly' is not a tolerance. \(heldHint)"),
    ("within 1x", "c.yml:5:14: 'within 1x' is not a tolerance. \(heldHint)"),
    ("within 2", "c.yml:5:14: '2' is not a factor. Write e.g. '2x'."),
    ("+- 1 MB", "c.yml:5:14: held is not measured in 'MB'. Units: ns, us, ms, s, min."),
  ])
  func `a tolerance that cannot be computed is refused`(text: String, message: String) {
    #expect(complaint(start + "claimed: '= 5 ms'\nheld: '\(text)'\n" + measured) == message)
  }

  // The text begins in column 15, after its quotation mark.
  @Test(arguments: [
    ("1 +", 18, "ends where a number is expected"),
    ("1 + * 2", 19, "has '*' where a number is expected"), ("(1 + 2", 21, "lacks a ')'"),
    ("1 2", 17, "continues after its end"),
    ("1.2.3", 15, "contains '1.2.3', which is not a number"),
    ("sum(1)", 15, "calls 'sum', but the functions are min and max"),
    ("1 / 0", 14, "has no value: a division by zero, or a number that is too large"),
    ("1 ms + 1 B", 14, "has no value: time + size is undefined"),
    ("wall * 2", 14, "has no value: 'wall' has no value"),
  ])
  func `an invalid formula is refused with its column`(
    text: String, column: Int, reason: String
  ) {
    #expect(
      complaint(start + "claimed: < 1 count\nformula: '\(text)'")
        == "c.yml:6:\(column): formula '\(text)' \(reason). Write e.g. '(284 * 8 ms + 71 * 82 ms) / 1247'."
    )
  }

  @Test func `an unknown unit in a formula is refused with its column`() {
    #expect(
      complaint(start + "claimed: < 1 ms\nformula: 2 * 3 msec")
        == "c.yml:6:20: unknown unit 'msec' in '3 msec'. Units: ns, us, ms, s, min, B, kB, MB, GB, KiB, "
        + "MiB, GiB, ....")
  }

  @Test func `brackets nested deeper than 50 levels are refused`() {
    let deep = String(repeating: "(", count: 60) + "1" + String(repeating: ")", count: 60)
    #expect(
      complaint(start + "claimed: < 1 count\nformula: \(deep)")?
        .contains("nests brackets deeper than 50 levels") == true)
  }

  @Test(arguments: [
    ("after: a:b\nmetric: wall", "c.yml:3:5: the claim has no key 'claimed'. Add 'claimed: ...'."),
    ("claimed: < 1 ms", "c.yml:3:5: the claim has no key 'after'. Add 'after: ...'."),
    ("claimed: < 1 ms\nafter: a:b", "c.yml:3:5: the claim has no key 'metric'. Add 'metric: ...'."),
    (
      "claimed: < 1 ms\nafter: a\nmetric: wall",
      "c.yml:6:12: 'after' must be like 'store-query:optimised', not 'a'."
    ),
    (
      "claimed: less < 1x\nafter: a:b\nmetric: wall",
      "c.yml:3:5: a claim about a change has no key 'before'. Add 'before: ...'."
    ),
    (
      "claimed: < 1 ms\nafter: a:b\nmetric: wall\nbefore_metric: wall",
      "c.yml:3:5: a claim with 'before_metric' has no key 'before'. Add 'before: ...'."
    ),
    (
      "claimed: < 1 ms\nheld: exactly\nafter: a:b\nmetric: wall",
      "c.yml:5:14: 'held' and '<' exclude each other. Remove one."
    ),
    (
      "claimed: < 1 ms\nformula: 1 ms\nmetric: wall",
      "c.yml:7:5: 'metric' and 'formula' exclude each other. Remove one."
    ),
    (
      "claimed: < 1 ms\nnot_testable: x\nformula: 1 ms",
      "c.yml:7:5: 'formula' and 'not_testable' exclude each other. Remove one."
    ),
    (
      "claimed: less < 1x\nformula: 1 ms",
      "c.yml:5:5: 'formula' and 'before' exclude each other. Remove one."
    ),
    ("claimd: < 1 ms", "c.yml:5:5: unknown key 'claimd' in the claim; did you mean 'claimed'?"),
  ])
  func `missing, conflicting and unknown keys are refused`(text: String, message: String) {
    // A misspelled key is missing as well.
    #expect(complaint(start + text)?.contains(message) == true)
  }
}
