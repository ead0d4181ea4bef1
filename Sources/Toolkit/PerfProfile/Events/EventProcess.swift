internal import CLinux
internal import CPerfFormat
internal import PerfModel

/// A process that the kernel samples, from its records to its capture.
final class EventProcess {
  private struct Thread {
    let serial: UInt32
    var name: String
    let started: UInt64
    var ended: UInt64?
    /// The CPU time of its samples in nanoseconds.
    var cpu: UInt64 = 0
    var pauses = EventPauses()
  }

  let id: Int32
  private let settings: EventSettings
  private let spool: SampleSpool
  private var threads: [Int32: Thread] = [:]
  private var endedThreads: [(id: Int32, thread: Thread)] = []
  private var windows: StackWindows
  private var mappings: [EventRecord.Mapping] = []
  /// The mappings from a time on.
  private var history: [(time: UInt64, mappings: [EventRecord.Mapping])] = []
  /// Memory that may be executed and belongs to no file.
  private var generated: Set<Range<UInt64>> = []
  /// The files in which the process tells where its generated functions are.
  private var dumps: Set<String> = []
  private var samples: UInt64 = 0
  private var samplesLost = 0
  private let began: UInt64
  /// Whether the process began at `began`, and not only its sampling.
  private let isForked: Bool
  /// The facts about a process that was running when sampling began; nil for others.
  var facts: ProcessFacts?
  private(set) var ended: UInt64?
  /// Whether the process has executed a program while it was sampled.
  private(set) var hasExecuted = false

  /// Creates a process without threads.
  ///
  /// - Parameters:
  ///   - id: The process id.
  ///   - time: The start in CLOCK_MONOTONIC nanoseconds.
  ///   - parent: The process whose mappings it inherits; nil for none.
  ///   - isForked: Whether the process began at that time; otherwise only its sampling did.
  ///   - settings: What is sampled.
  ///   - storage: The memory and the file for its samples.
  init(
    _ id: Int32, at time: UInt64, parent: EventProcess?, isForked: Bool = false,
    _ settings: EventSettings, storage: SampleStorage
  ) {
    (self.id, self.settings, began, self.isForked) = (id, settings, time, isForked)
    spool = SampleSpool(storage)
    windows = StackWindows(capacity: settings.stackBytes)
    mappings = parent?.mappings ?? []
    if !mappings.isEmpty { history = [(time, mappings)] }
  }

  // MARK: - Records

  func begin(_ thread: Int32, name: String, at time: UInt64) {
    close(thread, at: time)
    threads[thread] = Thread(serial: nextSerial, name: name, started: time)
  }

  private var nextSerial: UInt32 { UInt32(threads.count + endedThreads.count + 1) }

  func end(_ thread: Int32, at time: UInt64) {
    close(thread, at: time)
    if threads.isEmpty { ended = time }
  }

  private func close(_ thread: Int32, at time: UInt64) {
    guard var old = threads.removeValue(forKey: thread) else { return }
    old.ended = time
    old.pauses.end(at: time)
    endedThreads.append((thread, old))
    windows.remove(ring: Int(old.serial))
  }

  /// The ids of the threads that run.
  var threadIDs: [Int32] { Array(threads.keys) }

  func name(of thread: Int32) -> String? { threads[thread]?.name }

  func rename(_ thread: Int32, _ name: String, isExec: Bool, at time: UInt64) {
    if threads[thread] == nil { begin(thread, name: name, at: time) }
    threads[thread]?.name = name
    if isExec {
      hasExecuted = true
      mappings = []
      history.append((time, []))
    }
  }

  func map(_ mapping: EventRecord.Mapping, at time: UInt64) {
    // A mapping replaces what it covers; the kernel does not report unmapped files.
    mappings.removeAll {
      $0.address < mapping.address &+ mapping.bytes && mapping.address < $0.address &+ $0.bytes
    }
    if JITDump.isName(mapping.path) {
      dumps.insert(mapping.path)
      return
    }
    guard EventModules.hasFile(mapping) else {
      // A JIT compiler may change the rights of its memory thousands of times.
      generated.insert(mapping.address..<(mapping.address &+ mapping.bytes))
      return
    }
    mappings.append(mapping)
    if history.last?.time == time { history.removeLast() }
    history.append((time, mappings))
  }

  func stop(_ thread: Int32, at time: UInt64, isPreempted: Bool) {
    threads[thread]?.pauses.stop(at: time, isPreempted: isPreempted)
  }

  func resume(_ thread: Int32, at time: UInt64) { threads[thread]?.pauses.resume(at: time) }

  /// Takes over a sample of a running thread, or of one that stops running.
  func take(_ sample: EventRecord.Sample, of id: Int32, at time: UInt64, isWait: Bool = false) {
    if threads[id] == nil { begin(id, name: "", at: time) }
    guard var thread = threads[id] else { return }
    if isWait {
      thread.pauses.sampled(at: time)
    } else {
      thread.cpu = thread.cpu.addingClamped(settings.interval)
      samples += 1
    }
    threads[id] = thread
    var head = perfkit_sample()
    head.record.kind = UInt16(
      (isWait ? PERFKIT_RECORD_WAITING : PERFKIT_RECORD_SAMPLE).rawValue)
    head.record.time_ns = time
    head.tick_ns = time
    head.thread_cpu_ns = thread.cpu
    head.tid = UInt32(bitPattern: id)
    head.serial = thread.serial
    head.system_call = -1
    if let registers = sample.registers?.assumingMemoryBound(to: UInt64.self).baseAddress {
      withUnsafeMutableBytes(of: &head.registers) { place in
        guard let target = place.assumingMemoryBound(to: UInt64.self).baseAddress else { return }
        clinux_event_registers(registers, target)
        head.stack_address = target[Int(PERFKIT_STACK_POINTER)]
      }
      head.stack_bytes = UInt32(sample.stack.count)
      if sample.isFull {
        head.stack_missing = .max
        head.record.flags |= UInt16(PERFKIT_SAMPLE_TRUNCATED.rawValue)
      }
    }
    append(head, sample)
  }

  private func append(_ head: perfkit_sample, _ sample: EventRecord.Sample) {
    var head = head
    let stack = head.stack_bytes > 0 ? sample.stack : UnsafeRawBufferPointer(start: nil, count: 0)
    let (kept, shared) = windows.replace(
      by: stack, at: head.stack_address, serial: head.serial, ring: Int(head.serial))
    // The callers in the copied stack are found later, by unwind information.
    let chain = CallChain(sample.chain, withUser: sample.isFull)
    head.async_count = chain.pairs
    head.record.flags |= CallChain.flag
    let isKept = chain.withBytes { bytes in
      spool.append(head, async: bytes, stack: kept, shared: shared, ring: Int(head.serial))
    }
    if !isKept { samplesLost += 1 }
  }

  // MARK: - The capture

  /// Returns all data as a capture; nothing may be added afterwards.
  ///
  /// - Parameters:
  ///   - places: Finds the modules of mappings.
  ///   - first: The start of sampling in CLOCK_MONOTONIC nanoseconds; 0 for that of the process.
  ///   - end: The end of sampling in CLOCK_MONOTONIC nanoseconds.
  /// - Returns: The capture.
  func finish(_ places: EventModules, from first: UInt64 = 0, at end: UInt64) -> Capture {
    spool.seal()
    var capture = Capture()
    capture.engine = .perf
    capture.samplesKernel = settings.samplesKernel
    capture.spool = spool
    capture.process = id
    capture.agentVersion = PERFKIT_FORMAT_VERSION
    capture.interval = settings.interval
    capture.stackBytes = settings.stackBytes
    capture.samplesDropped = samplesLost
    let all = endedThreads + threads.map { (id: $0.key, thread: $0.value) }
    capture.threads = all.map { id, thread in
      Capture.Thread(
        serial: Int(thread.serial), id: id, name: thread.name, started: thread.started, startCPU: 0,
        ended: thread.ended ?? end, endCPU: thread.cpu)
    }.sorted { $0.serial < $1.serial }
    for (_, thread) in all {
      var pauses = thread.pauses
      pauses.end(at: ended ?? end)
      capture.pauses[thread.serial] = pauses.sampled
    }
    capture.audit.ticks = samples
    capture.audit.sampling_ended_ns = ended ?? end
    // Sampling may never have begun.
    capture.audit.sampling_began_ns = min(max(began, first), ended ?? end)
    capture.moduleLists = history.map { time, mappings in
      ModuleList(time: time, before: time, modules: mappings.compactMap(places.module))
    }
    let (owner, folder) = (RunningProcess(id).owner ?? facts?.owner, places.root?.path ?? "")
    let start = startSeconds
    let files = dumps.sorted().map { folder + $0 }.filter {
      GeneratedCode.isTrusted($0, owner: owner, since: start)
    }
    let named =
      GeneratedCode.perfMap(of: id, facts, since: start) + files.flatMap(JITDump.functions(of:))
    capture.generated = GeneratedCode(named, memory: Array(generated))
    return capture
  }

  /// The time in seconds since 1970 before which no file of the process was written; nil if it is unknown.
  private var startSeconds: Double? {
    // A process that was running when sampling began may have written its files before.
    hasExecuted || isForked
      ? realSeconds(at: began) : facts?.started ?? RunningProcess(id).started
  }
}
