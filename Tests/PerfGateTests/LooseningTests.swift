import PerfModel
import Testing

@testable import PerfGate

/// The rules of a scenario in base and candidate.
struct LooseningTests {
  private static func margin(
    _ relative: Double? = nil, _ absolute: Double? = nil
  ) -> Scenario.Margin {
    Scenario.Margin(relative: relative, absolute: absolute)
  }

  private static func budget(
    _ limit: String, _ metric: String = "rss.peak", _ sign: Budget.Comparison = .atMost
  ) -> Budget {
    Budget(
      metric: metric, comparison: sign,
      limit: Quantity.parse(limit) ?? Quantity(baseValue: -1, unit: .percent))
  }

  private static func scenario(_ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
    var scenario = Scenario(
      name: "scroll", summary: "A scroll.", workload: "book.scroll", worker: .product("W"),
      variants: [.init(name: "a", parameters: [:]), .init(name: "b", parameters: [:])],
      defaultVariant: "a", budgets: [budget("150 MB")],
      gate: .init(
        margin: margin(0.02), metrics: ["cpu.total": nil, "rss.peak": margin(0.03)]))
    change(&scenario)
    return scenario
  }

  private static func changes(_ change: (inout Scenario) -> Void) -> [String] {
    Loosening(from: scenario(), to: scenario(change)).changes
  }

  @Test func `equal rules are not loosened`() {
    #expect(Self.changes { _ in }.isEmpty)
  }

  @Test func `a wider margin is loosened, and a narrower one is not`() {
    let changes = Self.changes {
      $0.gate = .init(
        margin: Self.margin(0.1), metrics: ["cpu.total": nil, "rss.peak": Self.margin(0.01)])
    }
    #expect(changes == ["the margin of cpu.total is 10%, not 2%"])
  }

  @Test(
    arguments: [
      (.init(relative: 0.02), .init(relative: 0.02), false),
      (.init(relative: 0.01), .init(relative: 0.02), false),
      (.init(relative: 0.03), .init(relative: 0.02), true),
      // A change must exceed both limits: a second limit accepts more, one limit less.
      (.init(relative: 0.02, absolute: 1e6), .init(relative: 0.02), true),
      (.init(relative: 0.02), .init(relative: 0.02, absolute: 1e6), false),
      // Two kinds cannot be compared without the base's value.
      (.init(absolute: 1e6), .init(relative: 0.02), true),
      (.init(relative: 0.02), .init(absolute: 1e6), true),
      (.init(relative: 0.02, absolute: 2e6), .init(relative: 0.02, absolute: 1e6), true),
    ] as [(Scenario.Margin, Scenario.Margin, Bool)])
  func `a margin is looser if it accepts a change that the other refuses`(
    new: Scenario.Margin, old: Scenario.Margin, isLooser: Bool
  ) {
    #expect(new.isLooser(than: old) == isLooser)
  }

  @Test func `a metric that no longer gates is loosened`() {
    let changes = Self.changes { $0.gate = .init(metrics: ["rss.peak": Self.margin(0.03)]) }
    #expect(changes == ["cpu.total no longer gates"])
  }

  @Test func `a budget that is removed or has a looser limit is loosened`() {
    #expect(
      Self.changes { $0.budgets = [Self.budget("300 MB")] }
        == ["budget 'rss.peak <= 300 MB' replaces 'rss.peak <= 150 MB'"])
    #expect(
      Self.changes { $0.budgets = [] } == ["budget 'rss.peak <= 150 MB' is removed"])
    // A lower limit is stricter, and the same limit in another unit is the same.
    #expect(Self.changes { $0.budgets = [Self.budget("100 MB")] }.isEmpty)
    #expect(Self.changes { $0.budgets = [Self.budget("150000 kB")] }.isEmpty)
    #expect(Self.changes { $0.budgets.append(Self.budget("1 GB", "rss.end")) }.isEmpty)
  }

  @Test func `a lower limit of a budget that demands at least a value is looser`() {
    let base = Self.scenario { $0.budgets = [Self.budget("60 MB", "rss.peak", .atLeast)] }
    let lower = Self.scenario { $0.budgets = [Self.budget("50 MB", "rss.peak", .atLeast)] }
    let higher = Self.scenario { $0.budgets = [Self.budget("70 MB", "rss.peak", .atLeast)] }
    #expect(Loosening(from: base, to: lower).changes.count == 1)
    #expect(Loosening(from: base, to: higher).changes.isEmpty)
  }

  @Test func `an added control is loosened`() {
    let candidate = Self.scenario {
      $0.controls = .init(metrics: ["rss.end"], functions: ["parse"], scenarios: ["other"])
    }
    let loosening = Loosening(from: Self.scenario(), to: candidate)
    #expect(
      loosening.changes == [
        "metric rss.end is a control", "function parse is a control", "scenario other is a control",
      ])
    // A control that the candidate removes makes no comparison void: it is not loosened.
    #expect(Loosening(from: candidate, to: Self.scenario()).changes.isEmpty)
  }

  @Test func `fewer launches, removed variants and another default variant are loosened`() {
    #expect(Self.changes { $0.iterations = 3 } == ["3 launches are measured, not 10"])
    #expect(Self.changes { $0.iterations = 20 }.isEmpty)
    #expect(Self.changes { $0.defaultVariant = "b" } == ["the default variant is b, not a"])
    let removed = Self.changes {
      $0.variants.removeFirst()
      $0.defaultVariant = "b"
    }
    #expect(removed == ["variant a is removed"])
  }

  @Test func `other settings of a scenario are named when they change`() {
    let changed = Self.scenario {
      $0.workerArguments = ["--fast"]
      $0.parameters = ["books": .int(1)]
      $0.quick = ["books": .int(1)]
    }
    #expect(
      Loosening.otherChanges(from: Self.scenario(), to: changed) == [
        "arguments", "parameters", "quick",
      ])
    #expect(Loosening.otherChanges(from: Self.scenario(), to: Self.scenario()).isEmpty)
  }
}
