import CPerfFormat
import PerfModel
import Testing

@testable import PerfProfile

@Suite struct SampleWeightsTests {
  private static let tick: UInt64 = 1_000_000

  private func sample(
    at time: UInt64, tick: UInt64? = nil, cpu: UInt64, serial: UInt32 = 1, merged: UInt16 = 0,
    mergedCPU: UInt64 = 0, isWaiting: Bool = false, isWoken: Bool = false
  ) -> WalkedSample {
    WalkedSample(
      time: time, tick: tick ?? time, cpu: cpu, node: 0, serial: serial, phase: 0, signpost: 0,
      frame: 0, handler: 0, merged: merged, mergedCPU: mergedCPU, isWaiting: isWaiting,
      isWoken: isWoken, end: .complete)
  }

  /// A thread that began with sampling.
  private func thread(ended: UInt64, cpu: UInt64) -> Capture.Thread {
    Capture.Thread(
      serial: 1, id: 1, name: "main", started: 0, startCPU: 0, ended: ended, endCPU: cpu)
  }

  private func capture(_ threads: [Capture.Thread] = []) -> Capture {
    var capture = Capture()
    capture.interval = Self.tick
    capture.threads = threads
    return capture
  }

  @Test func `weights are equal and add up to the thread's CPU clock`() {
    // The thread used 5 ms of CPU time, and two ticks sampled it; the others were missed.
    let thread = Capture.Thread(
      serial: 1, id: 1, name: "main", started: 100, startCPU: 2_000_000, ended: 9_000_000,
      endCPU: 7_000_000)
    let samples = [
      sample(at: 1_000_000, cpu: 3_000_000), sample(at: 6_000_000, cpu: 6_500_000),
    ]
    let weights = SampleWeights(samples, of: capture([thread]))
    #expect(weights.weights == [2_500_000, 2_500_000])
    #expect(weights.states == [.running, .running])
    #expect(weights.cpu == [1: 5_000_000])
  }

  @Test func `a sample weighs the ticks during the system call that delayed it`() {
    // The thread used 8 ms: one tick before a system call, one at its begin, five more until its end,
    // and one after it.
    let thread = self.thread(ended: 8_000_000, cpu: 8_000_000)
    let samples = [
      sample(at: 1_000_000, cpu: 1_000_000),
      sample(at: 7_500_000, tick: 2_000_000, cpu: 2_000_000, merged: 5, mergedCPU: 7_000_000),
      sample(at: 8_000_000, cpu: 8_000_000),
    ]
    let weights = SampleWeights(samples, of: capture([thread]))
    #expect(weights.weights == [1_000_000, 6_000_000, 1_000_000])
    #expect(weights.states == [.running, .running, .running])
    #expect(weights.delays.isEmpty)
  }

  @Test
  func `a system call whose thread loses its CPU keeps its ticks, and has the delay beside them`() {
    // The thread used 6 ms: one tick before a system call, one at its begin, three more in it, and one
    // after it. It had no CPU for 12 of the call's 16 ms.
    let thread = self.thread(ended: 18_000_000, cpu: 6_000_000)
    let samples = [
      sample(at: 1_000_000, cpu: 1_000_000),
      sample(at: 17_500_000, tick: 2_000_000, cpu: 2_000_000, merged: 3, mergedCPU: 5_200_000),
      sample(at: 18_000_000, cpu: 6_000_000),
    ]
    let weights = SampleWeights(samples, of: capture([thread]))
    #expect(weights.weights == [1_000_000, 4_000_000, 1_000_000])
    #expect(weights.states == [.running, .running, .running])
    // Of the 4 ms until the tick at 18 ms, at most 0.5 ms passed after the call, which took 15.5 ms.
    #expect(weights.delays == [1: 12_000_000])
  }

  @Test func `a tick that finds a thread as it gets its CPU back does not shorten its delay`() {
    // The thread lost its CPU 10 us after the tick at 2 ms, and had it again 10 us before the tick at
    // 8 ms, which finds it on the way to its handler.
    let samples = [
      sample(at: 1_000_000, cpu: 1_000_000),
      sample(at: 8_000_000, tick: 2_000_000, cpu: 2_000_000, merged: 1, mergedCPU: 2_020_000),
      sample(at: 9_000_000, cpu: 3_000_000),
    ]
    let weights = SampleWeights(
      samples, of: capture([thread(ended: 9_000_000, cpu: 3_000_000)]))
    #expect(weights.delays == [1: 5_980_000])
  }

  @Test func `without records of the thread the clocks of its samples are used`() {
    let samples = [
      sample(at: 1_000_000, cpu: 10_000_000), sample(at: 2_000_000, cpu: 11_000_000),
    ]
    // From one tick before the first reading to the last one: 11 ms - 9 ms.
    #expect(SampleWeights(samples, of: capture()).weights == [1_000_000, 1_000_000])
  }

  @Test func `periods without sampling do not count`() {
    var thread = Capture.Thread(
      serial: 1, id: 1, name: "main", started: 100, startCPU: 50_000_000, ended: 9_000_000,
      endCPU: 51_000_000)
    thread.earlierCPU = 3_000_000
    let weights = SampleWeights(
      [sample(at: 1_000_000, cpu: 50_500_000)], of: capture([thread]))
    #expect(weights.cpu == [1: 4_000_000])
  }

  @Test func `a late handler of a thread without a CPU sampled a runnable thread`() {
    let samples = [
      // Sent at 0 and handled after 3 ms; the clock moved by 1 ms until the next tick, which is the
      // millisecond after the handler.
      sample(at: 3_000_000, tick: 0, cpu: 10_000_000),
      // As late, but the clock moved by more than 3 ms: the thread ran with the signal blocked.
      sample(at: 7_000_000, tick: 4_000_000, cpu: 11_000_000),
      sample(at: 8_000_000, cpu: 15_000_000),
    ]
    let weights = SampleWeights(samples, of: capture())
    #expect(weights.states == [.runnable, .running, .running])
    // Wall time, which is no part of the CPU time that the other samples share.
    #expect(weights.weights[0] == 3_000_000)
    // 15 ms - (10 ms - a tick) over two running samples.
    #expect(weights.weights[1] == 3_000_000)
  }

  @Test func `the time without a CPU starts before the tick that finds it`() {
    let samples = [
      sample(at: 1_000_000, cpu: 10_000_000),
      // The thread ran for 0.4 ms in the millisecond since then; the handler ran 3 ms after the
      // tick.
      sample(at: 5_000_000, tick: 2_000_000, cpu: 10_400_000),
      // It had no CPU for 9 ms, of which two intervals count: it may have waited for the rest.
      sample(at: 17_000_000, tick: 15_000_000, cpu: 11_400_000),
      sample(at: 18_000_000, cpu: 12_400_000),
      // After a wait it is unknown since when the thread wanted to run.
      sample(at: 19_000_000, cpu: 12_500_000, isWaiting: true),
      sample(at: 25_000_000, tick: 22_000_000, cpu: 12_600_000),
      sample(at: 26_000_000, cpu: 13_600_000),
    ]
    let weights = SampleWeights(samples, of: capture())
    #expect(
      weights.states == [.running, .runnable, .runnable, .running, .waiting, .runnable, .running])
    #expect(weights.weights[1] == 3_600_000)
    #expect(weights.weights[2] == 4_000_000)
    #expect(weights.weights[5] == 3_000_000)
  }

  @Test func `a thread that was woken and had no CPU at a tick is runnable for an interval`() {
    // The thread works for 0.5 ms in each millisecond, and sleeps. Four ticks met it: two at work, one
    // 20 us and one 3 ms before it got a CPU.
    let thread = self.thread(ended: 9_000_000, cpu: 4_000_000)
    let samples = [
      sample(at: 1_000_000, cpu: 500_000),
      sample(at: 2_020_000, tick: 2_000_000, cpu: 1_000_000, isWoken: true),
      sample(at: 6_000_000, tick: 3_000_000, cpu: 1_500_000, isWoken: true),
      sample(at: 7_000_000, cpu: 2_000_000),
    ]
    let weights = SampleWeights(samples, of: capture([thread]))
    #expect(weights.states == [.running, .runnable, .runnable, .running])
    // The CPU time of 4 ms belongs to the ticks at work. A delay of more than half an interval is known.
    #expect(weights.weights == [2_000_000, 1_000_000, 3_000_000, 2_000_000])
    #expect(weights.cpu == [1: 4_000_000])
  }

  @Test func `a thread that was woken at each tick keeps its CPU time`() {
    let thread = self.thread(ended: 9_000_000, cpu: 60_000)
    let samples = [
      sample(at: 1_020_000, tick: 1_000_000, cpu: 20_000, isWoken: true),
      sample(at: 2_020_000, tick: 2_000_000, cpu: 40_000, isWoken: true),
    ]
    let weights = SampleWeights(samples, of: capture([thread]))
    #expect(weights.states == [.running, .running])
    #expect(weights.weights == [30_000, 30_000])
  }

  @Test func `a waiting sample stands for the wall time until the thread is sampled again`() {
    let samples = [
      sample(at: 5_000_000, cpu: 0, isWaiting: true), sample(at: 9_000_000, cpu: 1_000_000),
      sample(at: 2_000_000, cpu: 500_000),
    ]
    let weights = SampleWeights(samples, of: capture())
    #expect(weights.states == [.waiting, .running, .running])
    #expect(weights.weights[0] == 4_000_000)
  }

  @Test func `a wait ends with the measured phase at the latest`() {
    let samples = [sample(at: 5_000_000, cpu: 0, isWaiting: true)]
    var capture = capture()
    capture.audit.sampling_ended_ns = 20_000_000
    #expect(SampleWeights(samples, of: capture).weights == [15_000_000])
    #expect(SampleWeights(samples, of: capture, until: 9_000_000).weights == [4_000_000])
  }

  @Test func `a wait of a killed process ends with the measured phase`() {
    let samples = [sample(at: 5_000_000, cpu: 0, isWaiting: true)]
    var capture = capture()
    #expect(SampleWeights(samples, of: capture, until: 9_000_000).weights == [4_000_000])
    // Without a measured phase, or if the process executed another program, the end is unknown.
    #expect(SampleWeights(samples, of: capture).weights == [0])
    capture.audit.left = 1
    #expect(SampleWeights(samples, of: capture, until: 9_000_000).weights == [0])
  }
}
