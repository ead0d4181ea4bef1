import PerfTestSupport
import PerfTesting
import Testing

/// Tests with budgets; `BudgetTests` runs each.
@Suite(.enabled(if: ExampleTest.areWanted))
struct ExampleBudgets {
  /// The allocations of the body of `allocations`.
  static let count = 1000

  private static func allocate() {
    for _ in 0..<count {
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
      memory.storeBytes(of: 1, as: Int.self)
      memory.deallocate()
    }
  }

  @Test(.budget("alloc.count >= 1000", "alloc.count <= 2000", launches: 6))
  func held() { Self.allocate() }

  @Test(.budget("alloc.count <= 10", launches: 6))
  func broken() { Self.allocate() }

  @Test(.budget("alloc.count >= 1000", launches: 6), .budget("alloc.count <= 10", launches: 6))
  func twoTraits() { Self.allocate() }

  // Every launch of the next two fails, so one is enough.
  @Test(.budget("wall <= 60 s", launches: 1))
  func expectation() { #expect(Self.count == 7) }

  @Test(.budget("wall <= 60 s", launches: 1))
  func error() async throws {
    struct Refusal: Error {}
    await Task.yield()
    throw Refusal()
  }

  @Test(.budget("cpu.totl <= 60 s", launches: 6))
  func misspelt() {}

  @Test(.budget("wall <= 60 s", launches: 6), arguments: [1, 2])
  func argument(number: Int) {}
}
