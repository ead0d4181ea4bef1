import PerfModel
import Testing

@testable import PerfRunner

struct MetricAssemblerTests {
  /// The clocks of a worker whose phase takes 6000 ns within the harness's 7000.
  private static let completion = WorkerMessage.Completion(
    usage: (
      WorkerMessage.Usage(wall: 2100, cpu: 100, user: 60, system: 40),
      WorkerMessage.Usage(wall: 8100, cpu: 4100, user: 3060, system: 1040)
    ), counters: [:])

  private func record() -> LaunchRecord {
    var record = LaunchRecord(index: 0, isWarmup: false, offset: 0)
    record.launched = 1000
    record.began = 2000
    record.ended = 9000
    return record
  }

  private func metrics(
    _ record: LaunchRecord, samplerCPU: Double = 0, segmentBytes: UInt64 = 0,
    declared: Set<String> = []
  ) -> [String: Double] {
    MetricAssembler(
      record: record, marks: nil, frames: FrameAnalysis([]), samplerCPU: samplerCPU,
      segmentBytes: segmentBytes, declared: declared
    ).metrics
  }

  @Test func `times come from the harness if the worker sends no clocks`() {
    #expect(metrics(record())["wall"] == 7000)
  }

  @Test func `a measured start is counted from its launch`() {
    var record = record()
    record.completion = Self.completion
    // Launched at 1000; the total CPU time is 4100.
    #expect(metrics(record)["wall"] == 7100)
    #expect(metrics(record)["cpu.total"] == 4100)
    // The sampler's CPU time, in the process and in its children, is subtracted.
    #expect(metrics(record, samplerCPU: 600)["cpu.total"] == 3500)
  }

  @Test func `times come from the worker's clocks if it sends them`() {
    var record = record()
    record.before = .unknown
    record.completion = Self.completion
    let metrics = metrics(record)
    #expect(metrics["wall"] == 6000)
    #expect(metrics["cpu.total"] == 4000)
    // The kernel's split is 3000 to 1000.
    #expect(metrics["cpu.user"] == 3000)
    #expect(metrics["cpu.system"] == 1000)
    #expect(record.measured == 2100...8100)
  }

  @Test func `the sampler's work outside of the phase is not subtracted`() {
    var record = record()
    #expect(record.samplerCPUOfPhase == nil)
    record.before = .unknown
    record.completion = Self.completion
    // 700 ns in the harness's 7000 ns, of which the phase took 6000.
    record.samplerCPU = (50_000, 50_700)
    #expect(record.samplerCPUOfPhase == 600)
    // A program that overwrites the sampler's counters.
    record.samplerCPU = (700, 0)
    #expect(record.samplerCPUOfPhase == nil)
  }

  @Test func `the capture segment is subtracted from every resident size`() {
    var record = record()
    var after = ProcessReadings.unknown
    after.resident = 50_000_000
    after.peakResident = 60_000_000
    record.after = after
    let metrics = metrics(record, segmentBytes: 32_000_000)
    #expect(metrics["rss.end"] == 18_000_000)
    #expect(metrics["rss.peak"] == 28_000_000)
  }

  @Test func `the peak is at least every reading, and absent if it cannot be reset`() {
    var record = record()
    var after = ProcessReadings.unknown
    after.peakResident = 10_000
    record.after = after
    record.resident = TimeSeries(
      name: "rss", dimension: .size, times: [0, 5], values: [1, 12_000])
    #expect(metrics(record)["rss.peak"] == 12_000)
    record.peakIsOfPhase = false
    #expect(metrics(record)["rss.peak"] == nil)
  }

  @Test func `a mean of memory without readings above zero is absent`() {
    var record = record()
    record.resident = TimeSeries(name: "rss", dimension: .size, times: [0, 5], values: [0, 0])
    #expect(metrics(record)["rss.mean"] == nil)
    record.resident = TimeSeries(name: "rss", dimension: .size, times: [0, 4], values: [0, 8])
    #expect(metrics(record)["rss.mean"] == 4)
  }

  @Test func `counts are differences, and absent if one end is unknown`() {
    var record = record()
    var before = ProcessReadings.unknown
    before.minorFaults = 10
    before.voluntarySwitches = 9
    var after = ProcessReadings.unknown
    after.minorFaults = 25
    after.voluntarySwitches = 4
    after.majorFaults = 3
    record.before = before
    record.after = after
    let metrics = metrics(record)
    #expect(metrics["faults.minor"] == 15)
    // Ended threads took their switches along, so there is no valid difference.
    #expect(metrics["switches.voluntary"] == nil)
    #expect(metrics["faults.major"] == nil)
  }

  @Test func `disturbances of the machine are recorded for ended programs as well`() {
    var record = record()
    // A command has no reading before it starts.
    record.after = .unknown
    record.machine.before.stalledForCPU = 100
    record.machine.after.stalledForCPU = 350
    record.machine.before.stolen = 7
    record.machine.after.stolen = 7
    record.machine.after.stalledForMemory = 9
    let metrics = metrics(record)
    #expect(metrics["psi.cpu"] == 250)
    #expect(metrics["steal"] == 0)
    // One end is unknown.
    #expect(metrics["psi.memory"] == nil)
  }

  @Test func `the CPU's pace is recorded if it was measured`() {
    var record = record()
    #expect(metrics(record)[MetricName.paceCPU] == nil)
    record.pace = Pace(steps: 2_700_000, lookups: 1_800_000)
    #expect(metrics(record)[MetricName.paceCPU] == 2_700_000)
    #expect(metrics(record)[MetricName.paceLookups] == 1_800_000)
  }

  @Test func `the duration of counting disturbances is recorded`() {
    var record = record()
    record.before = .unknown
    record.before?.runDelay = 100
    record.after = .unknown
    record.after?.runDelay = 900
    record.read = (before: 1500, after: 9700)
    record.machine.before.stallsRead = 1800
    record.machine.after.stallsRead = 9100
    record.machine.before.ticked = 10_000_000
    record.machine.after.ticked = 25_000_000
    record.machine.before.busy = 4_000_000
    record.machine.after.busy = 24_000_000
    (record.machine.before.own, record.machine.after.own) = (7_000_000, 11_000_000)
    let workload = metrics(record)
    #expect(workload["run_delay"] == 800)
    #expect(workload["run_delay.window"] == 8200)
    #expect(workload["psi.window"] == 7300)
    #expect(workload["steal.window"] == 15_000_000)
    #expect(workload["machine.cpu"] == 16_000_000)
    record.machine.after.own = 37_000_000
    #expect(metrics(record)["machine.cpu"] == 0)
    record.machine.after.own = nil
    #expect(metrics(record)["machine.cpu"] == 20_000_000)
    // A start launched at 1000: run delay counts from the launch.
    record.before = nil
    record.read.before = nil
    let start = metrics(record)
    #expect(start["run_delay"] == 900)
    #expect(start["run_delay.window"] == 8700)
    // The delay of an ended process is that of its whole life, which is the wall time.
    record.read.after = nil
    #expect(metrics(record)["run_delay"] == 900)
    #expect(metrics(record)["run_delay.window"] == nil)
  }

  @Test func `the delay of an ended process is unknown if its first thread did not do the work`() {
    var record = record()
    record.before = nil
    record.after = .unknown
    record.after?.runDelay = 900
    record.after?.cpu = 5000
    record.after?.firstThreadCPU = 4499
    #expect(metrics(record)["run_delay"] == nil)
    record.after?.firstThreadCPU = 4500
    #expect(metrics(record)["run_delay"] == 900)
    // The sampler's thread does no work of the program: 90 % of 4000 are 3600.
    record.after?.firstThreadCPU = 3600
    #expect(metrics(record)["run_delay"] == nil)
    #expect(metrics(record, samplerCPU: 1000)["run_delay"] == 900)
  }

  @Test func `only declared and finite counters become metrics`() {
    var record = record()
    record.completion = WorkerMessage.Completion(
      usage: nil, counters: ["cache.hits": 5, "stray": 1, "cache.bytes": .infinity])
    let metrics = metrics(record, declared: ["cache.hits", "cache.bytes", "wall"])
    #expect(metrics["cache.hits"] == 5)
    #expect(metrics["stray"] == nil)
    #expect(metrics["cache.bytes"] == nil)
  }

  @Test func `a time-weighted mean weighs unequal steps`() {
    // 10 for 2 ns, then linearly from 10 to 20 over 2 ns: (20 + 30) / 4.
    let series = TimeSeries(
      name: "rss", dimension: .size, times: [0, 2, 4], values: [10, 10, 20])
    #expect(MetricAssembler.timeWeightedMean(series) == 12.5)
    let single = TimeSeries(name: "rss", dimension: .size, times: [3], values: [1])
    #expect(MetricAssembler.timeWeightedMean(single) == nil)
  }
}
