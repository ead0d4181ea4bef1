import Glibc
import PerfModel
import PerfTestSupport
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

  /// Bytes live at the peak of a program that allocates blocks and frees them all, again and again, by
  /// one of its recordings.
  private func peak(
    of blocks: Int, of bytes: UInt64, times: Int, by random: inout SampleRandom
  ) -> Double {
    let interval = 1000.0
    var (allocations, ends) = ([WalkedSample](), [UInt64: UInt64]())
    var time: UInt64 = 0
    for _ in 0..<times {
      var recorded: [UInt64] = []
      for _ in 0..<blocks {
        time += 1
        guard Double.random(in: 0..<1, using: &random) < 1 - exp(-Double(bytes) / interval) else {
          continue
        }
        let number = UInt64(allocations.count + 1)
        allocations.append(allocation(number, at: time, bytes: bytes))
        recorded.append(number)
      }
      time += 1
      for number in recorded { ends[number] = time }
    }
    let weights = AllocationWeights(
      allocations, of: capture(ends), until: time,
      bytes: Double(blocks * times) * Double(bytes))
    return weights.shares.filter { $0.state == .livePeak }.reduce(0) { $0 + $1.weight }
  }

  @Test(
    arguments: [
      // Of 400 blocks some 73 are recorded, so that one estimate is off by 11 %, and the highest of
      // twenty by 20 %; of large ones all are.
      (blocks: 400, bytes: 200, times: 20), (blocks: 400, bytes: 200, times: 1),
      (blocks: 8, bytes: 1_000_000, times: 20), (blocks: 1, bytes: 1_000_000, times: 5),
    ])
  func `peaks that are alike do not add up to a higher one`(
    program: (blocks: Int, bytes: Int, times: Int)
  ) {
    var random = SampleRandom(seed: 7)
    let recordings = 200
    let sum = (0..<recordings).reduce(0.0) { sum, _ in
      sum
        + peak(
          of: program.blocks, of: UInt64(program.bytes), times: program.times, by: &random)
    }
    let truth = Double(program.blocks * program.bytes)
    // Four standard errors of the mean of 200, each off by 11 % (of one peak the sum is what was
    // counted: there is nothing to be off).
    #expect(abs(sum / Double(recordings) / truth - 1) < 4 * 0.11 / 200.0.squareRoot())
  }
}
