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
  private let rings = EventRings()
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
  private var lost: UInt64 = 0
  private var throttled = 0
  /// The time before which samples and pauses are left out; `.max` until sampling resumes.
  private var first: UInt64 = 0
  /// When sampling was stopped; nil while it goes on.
  private var stopped: UInt64?

  /// Prepares the sampling of the next program that the calling thread starts.
  ///
  /// The thread must start no other program before that.
  ///
  /// - Parameters:
  ///   - settings: What is sampled.
  ///   - storage: The memory and the file for the samples.
  ///   - isPaused: Whether samples are left out until `resume()`.
  /// - Throws: `EventObstacle` if the kernel refuses.
  public init(
    _ settings: EventSettings, storage: SampleStorage = SampleStorage(), isPaused: Bool = false
  ) throws(EventObstacle) {
    self.settings = settings
    self.storage = storage
    first = isPaused ? .max : 0
    allowance = SwitchAllowance(at: monotonicNanoseconds())
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
    try openRings(of: process, beginsAtExec: false)
    let began = monotonicNanoseconds()
    for descriptor in rings.descriptors { _ = clinux_event_enable(descriptor, true) }
    root = ProcessRoot(of: process)
    let running = RunningProcess(process)
    let main = self.process(process, at: began)
    main.facts = running.facts(root: root?.path ?? "")
    self.main = main
    // Each thread has its name before its samples are drained: a sample begins a thread without a name.
    func name(_ thread: Int32) {
      main.rename(thread, running.name(of: thread), isExec: false, at: began)
    }
    name(process)
    for _ in 0..<Self.mostRounds {
      let threads = running.threads()
      // A thread that another one starts meanwhile is sampled if the other one already is. The records tell.
      drain()
      let new = threads.filter { main.name(of: $0) == nil }
      if new.isEmpty { break }
      for thread in new {
        try join(thread)
        name(thread)
      }
    }
    for mapping in running.mappings() { main.map(mapping, at: began) }
  }

  /// The most times that the threads of a process are listed.
  private static let mostRounds = 20

  private func openRings(of thread: Int32, beginsAtExec: Bool) throws(EventObstacle) {
    try rings.open(
      settings.event(beginsAtExec: beginsAtExec), of: thread, sizes: settings.ringSizes)
    if settings.samplesWaits { try joinSwitches(of: thread, beginsAtExec: beginsAtExec) }
  }

  /// Samples one more thread.
  private func join(_ thread: Int32) throws(EventObstacle) {
    let new = try rings.join(thread, settings.event(beginsAtExec: false))
    for descriptor in new { _ = clinux_event_enable(descriptor, true) }
    joined += new
    if settings.samplesWaits { try joinSwitches(of: thread, beginsAtExec: false) }
  }

  /// Samples the switches of a thread, from now on unless they begin with a program.
  private func joinSwitches(of thread: Int32, beginsAtExec: Bool) throws(EventObstacle) {
    let new = try rings.join(
      thread, settings.event(beginsAtExec: beginsAtExec, switchPeriod: allowance.period))
    for descriptor in new {
      switchNumbers.insert(clinux_event_identifier(descriptor))
      if !beginsAtExec { _ = clinux_event_enable(descriptor, true) }
    }
    switchEvents += new
  }

  private var descriptors: [Int32] { rings.descriptors + joined + switchEvents }

  /// Samples fewer of the switches if there are too many.
  private func limitSwitches(_ count: Int) {
    guard settings.samplesWaits, main != nil, stopped == nil else { return }
    guard allowance.spend(count, at: monotonicNanoseconds()) else { return }
    reopenSwitches()
  }

  /// Samples the switches of all threads with the allowed period.
  private func reopenSwitches() {
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

  /// Takes samples from now on.
  ///
  /// The events were enabled before, as they also record threads and mapped files.
  public func resume() {
    first = monotonicNanoseconds()
    let period = allowance.period
    allowance = SwitchAllowance(at: first)
    if allowance.period != period { reopenSwitches() }
  }

  /// Stops sampling; a second call does nothing.
  public func stop() {
    guard stopped == nil else { return }
    for descriptor in descriptors { _ = clinux_event_enable(descriptor, false) }
    stopped = monotonicNanoseconds()
  }

  // MARK: - Draining

  /// Takes over all complete records.
  ///
  /// - Complexity: O(*n*) in the waiting bytes.
  public func drain() {
    let heads = rings.heads
    // Begins and mappings come before samples, switches and ends after them: a thread may have run on
    // another CPU than where it began or ended.
    var (changes, ends): ([EventRecord], [EventRecord]) = ([], [])
    rings.walk(heads, isOfSamples: false) { record in
      switch record.content {
      case .ended, .resumed, .stopped: ends.append(record)
      default: changes.append(record)
      }
    }
    for record in changes.sorted(by: { $0.time < $1.time }) { apply(record) }
    var switchCount = 0
    rings.walk(heads, isOfSamples: true) { record in
      guard case .sample(let sample) = record.content else { return }
      let isSwitch = switchNumbers.contains(sample.event)
      if isSwitch { switchCount += 1 }
      guard record.time >= first else { return }
      process(record.process, at: record.time).take(
        sample, of: record.thread, at: record.time, isWait: isSwitch)
    }
    for record in ends.sorted(by: { $0.time < $1.time }) { apply(record) }
    rings.release(heads)
    limitSwitches(switchCount)
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
        processes[id] = EventProcess(
          id, at: time, parent: origin, isForked: true, settings, storage: storage)
      }
      process(id, at: time).begin(record.thread, name: name, at: time)
    case .ended:
      guard let process = processes[id] else { return }
      process.end(record.thread, at: time)
      if process.ended != nil {
        processes[id] = nil
        endedProcesses.append(process)
      }
    case .resumed where time >= first: processes[id]?.resume(record.thread, at: time)
    case .stopped(let isPreempted) where time >= first:
      processes[id]?.stop(record.thread, at: time, isPreempted: isPreempted)
    case .resumed, .stopped: break
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
    let end = stopped ?? monotonicNanoseconds()
    let places = EventModules(root: root)
    var program = Capture()
    program.engine = .perf
    program.interval = settings.interval
    var others: [Process] = []
    for process in endedProcesses + processes.values.sorted(by: { $0.id < $1.id }) {
      var capture = process.finish(places, from: first, at: end)
      capture.root = root
      if process === main {
        program = capture
      } else if process.hasExecuted || capture.sampleCount > 0 {
        others.append(
          Process(capture: capture, ended: process.ended ?? end, isLiving: process.ended == nil))
      }
    }
    program.garbage += rings.garbage
    program.samplesDropped = program.samplesDropped.addingClamped(lost)
    if lost > 0, rings.ringBytes < settings.ringBytes {
      program.warnings.append(
        RunWarning(
          code: "sampler.rings",
          message: "the rings of samples were reduced from \(settings.ringBytes >> 10) to "
            + "\(rings.ringBytes >> 10) KiB for each CPU: the kernel refused more memory",
          remedy: EventObstacle.memoryRemedy))
    }
    if !settings.samplesKernel {
      program.warnings.append(
        RunWarning(
          code: "sampler.user_code",
          message: "the kernel lets this user sample no code but that of programs: time in the "
            + "kernel and waits have no samples",
          remedy: "Set kernel.perf_event_paranoid \(EventObstacle.kernelRemedy)"))
    }
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
