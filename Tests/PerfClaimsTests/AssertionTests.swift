import PerfModel
import Testing

@testable import PerfClaims

extension Assertion {
  /// Creates an assertion about the value after the change, or the only value.
  init(
    _ relation: Relation, _ low: Quantity, to high: Quantity? = nil, tolerance: Tolerance? = nil
  ) {
    self.init(.after, relation, low, to: high, tolerance: tolerance)
  }
}

struct AssertionTests {
  private let hundred = Quantity(100, .milliseconds)

  /// 100 ms are 1e8 ns.
  @Test(arguments: [
    (Assertion.Relation.atMost, true, true, false), (.below, true, false, false),
    (.atLeast, false, true, true), (.above, false, false, true),
  ])
  func `a limit allows the values on its side`(
    relation: Assertion.Relation, under: Bool, at: Bool, over: Bool
  ) {
    let assertion = Assertion(relation, hundred)
    #expect(assertion.holds(for: 0.99e8) == under)
    #expect(assertion.holds(for: 1e8) == at)
    #expect(assertion.holds(for: 1.01e8) == over)
  }

  @Test(arguments: [
    (Assertion.Tolerance.exactly, 100.0, 100.0), (.factor(2), 50, 200),
    (.difference(Quantity(5, .milliseconds)), 95, 105),
  ])
  func `a claimed number allows deviations within its tolerance`(
    tolerance: Assertion.Tolerance, low: Double, high: Double
  ) {
    let assertion = Assertion(.equal, hundred, tolerance: tolerance)
    #expect(!assertion.holds(for: (low - 0.01) * 1e6))
    #expect(assertion.holds(for: low * 1e6))
    #expect(assertion.holds(for: high * 1e6))
    #expect(!assertion.holds(for: (high + 0.01) * 1e6))
  }

  @Test func `the tolerances 'at most' and 'at least' make a number a limit`() {
    let most = Assertion(.equal, hundred, tolerance: .atMost)
    #expect(most.holds(for: 0))
    #expect(!most.holds(for: 1.01e8))
    let least = Assertion(.equal, hundred, tolerance: .atLeast)
    #expect(!least.holds(for: 0))
    #expect(least.holds(for: 1e12))
  }

  @Test func `a breach names the limit that the value exceeds`() {
    let near = Assertion(.equal, hundred, tolerance: .factor(2))
    #expect(near.breach(by: 49e6) == "under 50 ms")
    #expect(near.breach(by: 50e6) == nil)
    #expect(near.breach(by: 201e6) == "over 200 ms")
    #expect(Assertion(.below, hundred).breach(by: 1e8) == "not under 100 ms")
    #expect(Assertion(.above, hundred).breach(by: 1e8) == "not over 100 ms")
    #expect(Assertion(.atMost, hundred).breach(by: 2e8) == "over 100 ms")
  }

  @Test func `a factor widens a claimed range at both ends`() {
    let assertion = Assertion(
      .equal, Quantity(400, .count), to: Quantity(500, .count), tolerance: .factor(2))
    #expect(assertion.allowed.low == 200)
    #expect(assertion.allowed.high == 1000)
  }

  @Test func `a claimed zero allows only zero`() {
    let assertion = Assertion(.equal, Quantity(0, .percent), tolerance: .exactly)
    #expect(assertion.holds(for: 0))
    #expect(!assertion.holds(for: 1e-9))
  }

  @Test func `an assertion describes the claim and its allowed range`() {
    let claimed = [
      Assertion(.below, hundred),
      Assertion(.equal, Quantity(400, .count), to: Quantity(500, .count), tolerance: .exactly),
      Assertion(.less, .equal, Quantity(baseValue: 55, unit: .ratio), tolerance: .factor(2)),
      Assertion(.reduction, .equal, Quantity(88, .percent), tolerance: .atLeast),
      Assertion(.before, .above, Quantity(50, .megabytes)),
      Assertion(.equal, Quantity(6.2, .milliseconds), tolerance: .exactly),
    ]
    #expect(
      claimed.map(\.description) == [
        "< 100 ms", "= 400 ... 500", "less = 55x", "reduction = 88%", "before > 50 MB", "= 6.2 ms",
      ])
    #expect(
      claimed.map(\.limits) == [
        "under 100 ms", "400 to 500", "27.5x to 110x", "at least 88%", "over 50 MB", "6.2 ms",
      ])
  }

  @Test func `the position of an interval is undecided if it reaches both sides of a limit`() {
    func position(_ assertion: Assertion, _ low: Double, _ high: Double) -> Assertion.Position? {
      assertion.position(of: low * 1e6...high * 1e6)
    }
    let range = Assertion(
      .equal, Quantity(10, .milliseconds), to: Quantity(20, .milliseconds), tolerance: .exactly)
    #expect(position(range, 12, 18) == .inside)
    #expect(position(range, 1, 9) == .outside)
    #expect(position(range, 21, 30) == .outside)
    #expect(position(range, 9, 12) == nil)
    #expect(position(range, 18, 30) == nil)
    #expect(position(range, 9, 30) == nil)
    let below = Assertion(.below, Quantity(10, .milliseconds))
    #expect(position(below, 10, 12) == .outside)
    #expect(position(below, 9, 10) == nil)
    #expect(position(Assertion(.atMost, Quantity(10, .milliseconds)), 9, 10) == .inside)
    let above = Assertion(.above, Quantity(10, .milliseconds))
    #expect(position(above, 8, 10) == .outside)
    #expect(position(above, 10, 11) == nil)
  }
}
