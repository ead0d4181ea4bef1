internal import CLinux
internal import Glibc
internal import PerfModel

/// Samples a program and the processes that it starts by the kernel's software clock.
///
/// Nothing is preloaded and no signal is sent. Each CPU has a ring, which the harness drains every few
/// milliseconds. A session belongs to one thread at a time.
public final class EventSession {
  /// The samples of a process.
  public struct Process: Sendable {
    /// The samples with threads and modules.
    public let capture: Capture
    /// CLOCK_MONOTONIC when the process or sampling ended.
    public let ended: UInt64
    /// Whether the process runs on.
    public let isLiving: Bool
  }

  private let settings: EventSettings
  private let storage: SampleStorage
  private var rings: [(cpu: Int32, ring: clinux_event_ring)] = []
  /// Events of the CPU time of further threads, whose records go to the rings.
  private var joined: [Int32] = []
  /// Events of the switches of threads, whose records go to the rings.
  private var switchEvents: [Int32] = []
  /// The numbers of all events of switches so far.
  private var switchNumbers: Set<UInt64> = []
  private var allowance: SwitchAllowance
  private var processes: [Int32: EventProcess] = [:]
  private var endedProcesses: [EventProcess] = []
  /// The first process that executed a program.
  private var main: EventProcess?
  /// The root of the files of a process in another mount namespace.
  private var root: ProcessRoot?
  private let scratch: UnsafeMutableRawBufferPointer
  private var lost: UInt64 = 0
  private var throttled = 0
  private var garbage = 0

  /// The largest record: its length has 16 bits.
  private static let largestRecord = 1 << 16

  /// Prepares the sampling of the next program that the calling thread starts.
  ///
  /// The thread must start no other program before that.
  ///
  /// - Parameters:
  ///   - settings: What is sampled.
  ///   - storage: The memory and the file for the samples.
  /// - Throws: `EventObstacle` if the kernel refuses.
  public init(
    _ settings: EventSettings, storage: SampleStorage = SampleStorage()
  ) throws(EventObstacle) {
    self.settings = settings
    self.storage = storage
    allowance = SwitchAllowance(at: monotonicNanoseconds())
    scratch = .allocate(byteCount: Self.largestRecord, alignment: 8)
    try openRings(of: 0, beginsAtExec: true)
  }

  /// Begins to sample a running process, and what it starts from now on.
  ///
  /// - Parameters:
  ///   - process: The process id.
  ///   - settings: What is sampled.
  ///   - storage: The memory and the file for the samples.
  /// - Throws: `EventObstacle` if the kernel refuses, or if the process does not exist (ESRCH).
  public init(
    attachingTo process: Int32, _ settings: EventSettings,
    storage: SampleStorage = SampleStorage()
  ) throws(EventObstacle) {
    self.settings = settings
    self.storage = storage
    allowance = SwitchAllowance(at: monotonicNanoseconds())
    scratch = .allocate(byteCount: Self.largestRecord, alignment: 8)
    try openRings(of: process, beginsAtExec: false)
    let began = monotonicNanoseconds()
    for descriptor in rings.map(\.ring.descriptor) { _ = clinux_event_enable(descriptor, true) }
    root = ProcessRoot(of: process)
    let running = RunningProcess(process)
    let main = self.process(process, at: began)
    main.facts = running.facts(root: root?.path ?? "")
    self.main = main
    var known: Set<Int32> = [process]
    // A thread that another one starts meanwhile is sampled if the other one already is. The records tell.
    for _ in 0..<Self.mostRounds {
      let new = running.threads().filter { !known.contains($0) && main.name(of: $0) == nil }
      for thread in new { try join(thread) }
      known.formUnion(new)
      drain()
      if new.isEmpty { break }
    }
    for thread in known.sorted() where main.name(of: thread) == nil {
      main.rename(thread, running.name(of: thread), isExec: false, at: began)
    }
    for mapping in running.mappings() { main.map(mapping, at: began) }
  }

  /// The most times that the threads of a process are listed.
  private static let mostRounds = 20

  private func openRings(of thread: Int32, beginsAtExec: Bool) throws(EventObstacle) {
    let event = settings.event(beginsAtExec: beginsAtExec)
    for cpu in 0..<max(1, clinux_configured_cpus()) {
      var ring = clinux_event_ring()
      let code = clinux_event_open(event, thread, cpu, settings.ringBytes, &ring)
      // A CPU that is offline has no ring.
      if code == -ENODEV { continue }
      guard code == 0 else { throw EventObstacle(errno: -code) }
      rings.append((cpu, ring))
    }
    if settings.samplesWaits { try joinSwitches(of: thread, beginsAtExec: beginsAtExec) }
  }

  /// Samples one more thread.
  private func join(_ thread: Int32) throws(EventObstacle) {
    let new = try join(thread, settings.event(beginsAtExec: false))
    for descriptor in new { _ = clinux_event_enable(descriptor, true) }
    joined += new
    if settings.samplesWaits { try joinSwitches(of: thread, beginsAtExec: false) }
  }

  /// Samples the switches of a thread, from now on unless they begin with a program.
  private func joinSwitches(of thread: Int32, beginsAtExec: Bool) throws(EventObstacle) {
    let new = try join(
      thread, settings.event(beginsAtExec: beginsAtExec, switchPeriod: allowance.period))
    for descriptor in new {
      switchNumbers.insert(clinux_event_identifier(descriptor))
      if !beginsAtExec { _ = clinux_event_enable(descriptor, true) }
    }
    switchEvents += new
  }

  /// Opens an event of a thread on each CPU; empty if the thread has ended.
  private func join(
    _ thread: Int32, _ event: clinux_event_settings
  ) throws(EventObstacle) -> [Int32] {
    var descriptors: [Int32] = []
    for (cpu, ring) in rings {
      let code = withUnsafePointer(to: ring) { clinux_event_join(event, thread, cpu, $0) }
      if code == -ESRCH { break }
      guard code >= 0 else {
        for descriptor in descriptors { close(descriptor) }
        throw EventObstacle(errno: -code)
      }
      descriptors.append(code)
    }
    return descriptors
  }

  private var descriptors: [Int32] { rings.map(\.ring.descriptor) + joined + switchEvents }

  /// Samples fewer of the switches if there are too many.
  private func limitSwitches(_ count: Int) {
    guard settings.samplesWaits, main != nil else { return }
    guard allowance.spend(count, at: monotonicNanoseconds()) else { return }
    let old = switchEvents
    switchEvents = []
    // A thread that begins meanwhile has the events of the thread that started it.
    for thread in processes.values.flatMap(\.threadIDs).sorted() {
      try? joinSwitches(of: thread, beginsAtExec: false)
    }
    for descriptor in old { close(descriptor) }
  }

  deinit {
    for descriptor in joined + switchEvents { close(descriptor) }
    for (_, ring) in rings {
      var ring = ring
      clinux_event_close(&ring)
    }
    scratch.deallocate()
  }

  /// Returns the obstacle to sampling on this machine; nil if there is none.
  public static func obstacle(_ settings: EventSettings = EventSettings()) -> EventObstacle? {
    do {
      _ = try EventSession(settings)
      return nil
    } catch {
      return error
    }
  }

  /// Stops sampling; a second call does nothing.
  public func stop() {
    for descriptor in descriptors { _ = clinux_event_enable(descriptor, false) }
  }

  // MARK: - Draining

  /// Takes over all complete records.
  ///
  /// - Complexity: O(*n*) in the waiting bytes.
  public func drain() {
    let heads = rings.map { one in withUnsafePointer(to: one.ring) { clinux_event_head($0) } }
    // Begins and mappings come before samples, switches and ends after them: a thread may have run on
    // another CPU than where it began or ended.
    var (changes, ends): ([EventRecord], [EventRecord]) = ([], [])
    walk(heads, isOfSamples: false) { record in
      switch record.content {
      case .ended, .resumed, .stopped: ends.append(record)
      default: changes.append(record)
      }
    }
    for record in changes.sorted(by: { $0.time < $1.time }) { apply(record) }
    var switchCount = 0
    walk(heads, isOfSamples: true) { record in
      guard case .sample(let sample) = record.content else { return }
      let isSwitch = switchNumbers.contains(sample.event)
      if isSwitch { switchCount += 1 }
      process(record.process, at: record.time).take(
        sample, of: record.thread, at: record.time, isWait: isSwitch)
    }
    for record in ends.sorted(by: { $0.time < $1.time }) { apply(record) }
    for (index, head) in heads.enumerated() {
      withUnsafePointer(to: rings[index].ring) { clinux_event_release($0, head) }
    }
    limitSwitches(switchCount)
  }

  /// Calls a function with each sample, or with each other record, up to the heads.
  private func walk(_ heads: [UInt64], isOfSamples: Bool, _ body: (EventRecord) -> Void) {
    for ((_, ring), head) in zip(rings, heads) {
      let (data, tail) = withUnsafePointer(to: ring) {
        (clinux_event_data($0), clinux_event_tail($0))
      }
      var place = tail
      while place < head {
        let start = Int(place & UInt64(ring.bytes - 1))
        // A record of at least 8 bytes never has its header divided.
        let bytes = Int((data + start).loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        guard bytes >= 8, UInt64(bytes) <= head - place else {
          // Both walks end here.
          if isOfSamples { garbage += 1 }
          break
        }
        defer { place += UInt64(bytes) }
        let kind = (data + start).loadUnaligned(as: UInt32.self)
        guard (kind == CLINUX_EVENT_SAMPLE.rawValue) == isOfSamples else { continue }
        let first = min(bytes, ring.bytes - start)
        if let target = scratch.baseAddress {
          target.copyMemory(from: data + start, byteCount: first)
          (target + first).copyMemory(from: data, byteCount: bytes - first)
        }
        if let record = EventRecord(UnsafeRawBufferPointer(rebasing: scratch[..<bytes])) {
          body(record)
        }
      }
    }
  }

  private func apply(_ record: EventRecord) {
    let (id, time) = (record.process, record.time)
    switch record.content {
    case .sample: break
    case .mapped(let mapping): process(id, at: time).map(mapping, at: time)
    case .named(let name, let isExec):
      let process = process(id, at: time)
      process.rename(record.thread, name, isExec: isExec, at: time)
      if isExec, main == nil { main = process }
    case .began(let parent, let parentThread):
      let origin = processes[parent]
      let name = origin?.name(of: parentThread) ?? ""
      if id != parent {
        // The id may have belonged to a process whose end was lost.
        endedProcesses += [processes.removeValue(forKey: id)].compactMap(\.self)
        processes[id] = EventProcess(id, at: time, parent: origin, settings, storage: storage)
      }
      process(id, at: time).begin(record.thread, name: name, at: time)
    case .ended:
      guard let process = processes[id] else { return }
      process.end(record.thread, at: time)
      if process.ended != nil {
        processes[id] = nil
        endedProcesses.append(process)
      }
    case .resumed: processes[id]?.resume(record.thread, at: time)
    case .stopped(let isPreempted):
      processes[id]?.stop(record.thread, at: time, isPreempted: isPreempted)
    case .lost(let count): lost = lost.addingClamped(count)
    case .throttled: throttled += 1
    }
  }

  private func process(_ id: Int32, at time: UInt64) -> EventProcess {
    if let known = processes[id] { return known }
    let new = EventProcess(id, at: time, parent: nil, settings, storage: storage)
    processes[id] = new
    return new
  }

  // MARK: - The end

  /// Drains the rest and returns the program's samples, and those of the processes that it started.
  ///
  /// The session cannot be used afterwards.
  public func finish() -> (program: Capture, others: [Process]) {
    stop()
    drain()
    let end = monotonicNanoseconds()
    let places = EventModules(root: root)
    var program = Capture()
    program.engine = .perf
    program.interval = settings.interval
    var others: [Process] = []
    for process in endedProcesses + processes.values.sorted(by: { $0.id < $1.id }) {
      var capture = process.finish(places, at: end)
      capture.root = root
      if process === main {
        program = capture
      } else if process.hasExecuted || capture.sampleCount > 0 {
        others.append(
          Process(capture: capture, ended: process.ended ?? end, isLiving: process.ended == nil))
      }
    }
    program.garbage += garbage
    program.samplesDropped = program.samplesDropped.addingClamped(lost)
    if throttled > 0 {
      program.warnings.append(
        RunWarning(
          code: "sampler.throttled",
          message: "the kernel suspended sampling \(throttled) times, as it took too much time",
          remedy: "Choose a lower rate, or raise kernel.perf_cpu_time_max_percent."))
    }
    return (program, others)
  }
}
