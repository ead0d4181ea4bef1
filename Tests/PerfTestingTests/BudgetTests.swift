import PerfModel
import PerfStore
import PerfTestSupport
import Testing

/// Tests with budgets, run as `swift test` runs them.
struct BudgetTests {
  private static func run(
    _ example: String, _ variables: [String: String] = [:]
  ) throws -> ExampleTest.Result {
    let folder = try TemporaryFolder()
    return try ExampleTest("ExampleBudgets/\(example)\\(").run(
      ["PERFKIT_STORE": folder("runs.sqlite")].merging(variables) { _, own in own })
  }

  @Test func `a launch measures the body of the test alone`() throws {
    let folder = try TemporaryFolder()
    let result = try Self.run("held", ["PERFKIT_STORE": folder("runs.sqlite")])
    #expect(result.status == 0, "\(result.output)")
    let store = try RunStore(path: folder("runs.sqlite"), access: .reading)
    let headers = try store.headers()
    #expect(headers.map(\.scenario) == ["PerfTestingTests.ExampleBudgets.held"])
    let run = try store.run(id: try #require(headers.first).id)
    // The body makes 1,000 allocations; the start of a test program makes tens of thousands.
    let counts = run.values(of: "alloc.count")
    #expect(counts.count == 6)
    #expect(counts.allSatisfy { (1000...2000).contains($0) }, "\(counts)")
  }

  @Test func `a broken budget fails its test with the measured interval`() throws {
    let result = try Self.run("broken")
    #expect(result.status == 1)
    #expect(result.says("A budget is broken."), "\(result.output)")
    #expect(result.says("alloc.count <= 10 count"), "\(result.output)")
  }

  @Test func `the budgets of all traits of a test are judged`() throws {
    let result = try Self.run("twoTraits")
    #expect(result.status == 1)
    #expect(result.says("alloc.count <= 10"), "\(result.output)")
    #expect(result.says("alloc.count >= 1000 count"), "\(result.output)")
  }

  @Test(arguments: [("expectation", "(Self.count → 1000) == 7"), ("error", "Refusal")])
  func `a body that fails in its launches fails the test with the reason`(
    example: String, reason: String
  ) throws {
    let result = try Self.run(example)
    #expect(result.status == 1)
    #expect(result.says("The budgets have no verdict."), "\(result.output)")
    #expect(result.says(reason), "\(result.output)")
  }

  @Test func `a budget of an unknown metric fails with the nearest name`() throws {
    let result = try Self.run("misspelt")
    #expect(result.status == 1)
    #expect(result.says("cpu.total"), "\(result.output)")
  }

  @Test func `a test with arguments cannot have a budget`() throws {
    let result = try Self.run("argument")
    #expect(result.status == 1)
    #expect(result.says("Write a test without arguments."), "\(result.output)")
  }

  @Test func `a missing command fails the test and says what to do`() throws {
    let result = try Self.run("held", ["PERFKIT": "/nowhere/perfkit"])
    #expect(result.status == 1)
    #expect(
      result.says("PERFKIT names '/nowhere/perfkit', which is no program. Install it"),
      "\(result.output)")
  }

  @Test func `with PERFKIT=off a body runs without a verdict on its budgets`() throws {
    #expect(try Self.run("broken", ["PERFKIT": "off"]).status == 0)
    let result = try Self.run("expectation", ["PERFKIT": "off"])
    #expect(result.status == 1)
    #expect(!result.says("The budgets have no verdict."), "\(result.output)")
  }
}
