import PerfModel
import Testing

@testable import PerfProfile

/// What recorded allocations stand for.
struct AllocationWeightsTests {
  private func allocation(_ number: UInt64, at time: UInt64, bytes: UInt64) -> WalkedSample {
    WalkedSample(
      time: time, tick: 0, cpu: 0, node: 0, serial: 1, phase: 0, signpost: 0, frame: 0, handler: 0,
      isWaiting: false, end: .complete, allocation: .init(number: number, bytes: bytes))
  }

  private func capture(_ ends: [UInt64: UInt64] = [:]) -> Capture {
    var capture = Capture()
    capture.allocationInterval = 1000
    capture.allocationEnds = AllocationEnds(ends)
    return capture
  }

  private func places(_ weights: AllocationWeights, _ state: Profile.State) -> [Int] {
    weights.shares.filter { $0.state == state }.map(\.place)
  }

  @Test func `an allocation stands for its bytes by its chance of being recorded`() {
    let weights = AllocationWeights(
      [allocation(1, at: 1, bytes: 1), allocation(2, at: 2, bytes: 1_000_000)], of: capture(),
      until: 10, bytes: nil)
    let allocated = weights.shares.filter { $0.state == .allocated }.map(\.weight)
    // 1 / (1 - exp(-0.001)) is 1000.5, to a tenth; of a million bytes some are always met.
    #expect(abs(allocated[0] - 1000.5) < 0.1)
    #expect(allocated[1] == 1_000_000)
  }

  @Test func `the weights add up to what was counted`() {
    let weights = AllocationWeights(
      [allocation(1, at: 1, bytes: 700), allocation(2, at: 2, bytes: 700)], of: capture(),
      until: 10, bytes: 5000)
    #expect(weights.shares.filter { $0.state == .allocated }.map(\.weight) == [2500, 2500])
  }

  @Test func `what is live at the peak and at the end is told from what has gone`() {
    // Live over time: 0; 0 1; 1; 1 2; 1 2 3; 2 3; 2.
    let weights = AllocationWeights(
      [
        allocation(1, at: 1, bytes: 9000), allocation(2, at: 2, bytes: 9000),
        allocation(3, at: 4, bytes: 9000), allocation(4, at: 5, bytes: 9000),
      ], of: capture([1: 3, 2: 6, 4: 7]), until: 10, bytes: nil)
    #expect(places(weights, .allocated) == [0, 1, 2, 3])
    #expect(places(weights, .livePeak) == [1, 2, 3])
    #expect(places(weights, .liveEnd) == [2])
  }

  @Test func `a life without length, or with an end before its begin, is live for a moment`() {
    let weights = AllocationWeights(
      [allocation(1, at: 5, bytes: 9000)], of: capture([1: 4]), until: .max, bytes: nil)
    #expect(places(weights, .liveEnd).isEmpty)
    #expect(places(weights, .allocated) == [0])
  }

  @Test func `without allocations there is nothing`() {
    #expect(
      AllocationWeights([], of: capture(), until: 10, bytes: 1000).shares.isEmpty)
  }
}
