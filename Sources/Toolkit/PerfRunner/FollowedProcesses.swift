internal import CLinux
internal import Glibc
internal import PerfModel
internal import PerfProfile
internal import Synchronization

/// The processes that a launch's program starts.
///
/// Each process that asks receives its own capture segment, which is drained like the program's and
/// reused when the process has ended. Agent/PROTOCOL.md describes the messages of the socket.
final class FollowedProcesses: Sendable {
  /// The records of a process, and the end of their relevance.
  struct Remains: Sendable {
    var capture: Capture
    /// CLOCK_MONOTONIC when the process was found to have ended, or waiting for it stopped.
    let ended: UInt64
  }

  /// The maximum number of simultaneously sampled processes; each takes 8 MiB of shared memory.
  static let standardLimit = 64
  /// The environment variable with the socket's address.
  static let variable = "PERFKIT_FOLLOW"

  let address: String

  private struct Process {
    let segment: CaptureSegment
    let drain: SegmentDrain
    /// A pidfd, readable when the process has ended.
    let end: Int32
  }

  private struct State {
    var running: [pid_t: Process] = [:]
    var spare: [CaptureSegment] = []
    var remains: [Remains] = []
    var count = 0
    var refused = 0
    /// Processes that were gone before the answer.
    var late = 0
    var failure: String?
  }

  private let state = Mutex(State())
  private let configuration: CaptureConfiguration
  /// The storage of all processes' samples until the program ends.
  private let storage: SampleStorage
  private let limit: Int
  private let listener: Int32
  private let thread = Mutex<PeriodicThread?>(nil)

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the segments.
  ///   - scratch: The folder for samples that do not fit into memory.
  ///   - limit: The maximum number of simultaneous processes.
  /// - Throws: `RunnerError.system` if the socket cannot be created.
  init(
    _ configuration: CaptureConfiguration, scratch: String, limit: Int = standardLimit
  ) throws(RunnerError) {
    self.configuration = configuration
    self.limit = limit
    storage = SampleStorage(folder: scratch)
    address = "perfkit-\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    listener = clinux_listen(address)
    guard listener >= 0 else {
      throw .system(
        call: "bind", object: "the socket for children", reason: SystemCalls.text(of: -listener))
    }
    thread.withLock { thread in
      thread = PeriodicThread(name: "perfkit-follow", interval: 0) { [weak self] in self?.serve() }
    }
  }

  deinit {
    thread.withLock { $0?.stop() }
    close(listener)
    for process in state.withLock({ Array($0.running.values) }) { close(process.end) }
  }

  // MARK: - The socket

  /// Answers waiting processes within some milliseconds.
  private func serve() {
    keepSpare()
    var request = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, 20) > 0 else { return }
    var process: pid_t = 0
    var user: UInt32 = 0
    while case let connection = clinux_accept(listener, &process, &user), connection >= 0 {
      // Any process on the machine can connect to the address.
      let isOwn = process > 0 && (user == geteuid() || Self.isDescendant(process))
      let segment = isOwn ? segment(for: process) : nil
      _ = clinux_send_descriptor(connection, segment?.descriptor ?? -1)
      close(connection)
    }
  }

  /// Returns whether a process descends from the harness.
  ///
  /// A program of root may run another one as another user, as runuser and servers do.
  private static func isDescendant(_ process: pid_t) -> Bool {
    var process = UInt64(process)
    // The number of steps has a limit because parents may change meanwhile.
    for _ in 0..<64 {
      guard let text = SystemCalls.read("/proc/\(process)/status"),
        let parent = ProcText.value(of: "PPid", in: text), parent > 1
      else { return false }
      if parent == UInt64(getpid()) { return true }
      process = parent
    }
    return false
  }

  /// Creates the next segment in advance, because creation takes longer than a process should wait.
  private func keepSpare() {
    let isNeeded = state.withLock { state in
      state.spare.isEmpty && state.running.count < limit && state.failure == nil
    }
    guard isNeeded else { return }
    do {
      let segment = try CaptureSegment(configuration)
      state.withLock { $0.spare.append(segment) }
    } catch {
      state.withLock { $0.failure = "\(error)" }
    }
  }

  /// Returns a new segment for a process, or its present segment after exec.
  private func segment(for process: pid_t) -> CaptureSegment? {
    keepSpare()
    return state.withLock { state in
      Self.retireEnded(&state)
      if let known = state.running[process] { return known.segment }
      let end = clinux_process_descriptor(process)
      guard end >= 0 else {
        state.late += 1
        return nil
      }
      guard state.running.count < limit, let segment = state.spare.popLast() else {
        close(end)
        state.refused += 1
        return nil
      }
      state.count += 1
      segment.reset(seed: configuration.seed &+ UInt64(state.count) << 32)
      segment.setSampling(true)
      state.running[process] = Process(
        segment: segment, drain: SegmentDrain(segment, storage: storage), end: end)
      return segment
    }
  }

  // MARK: - Their records

  func takeOver() {
    state.withLock { state in
      for process in state.running.values { process.drain.drain() }
      Self.retireEnded(&state)
    }
  }

  /// Takes over the remaining records, without waiting for processes that continue.
  ///
  /// - Returns: The records of all processes in the order of their ends, and warnings.
  func finish() -> (remains: [Remains], warnings: [RunWarning]) {
    thread.withLock { thread in
      thread?.stop()
      thread = nil
    }
    // Shells end at the same moment as the processes that they wait for.
    let patience = SystemCalls.now() + 50_000_000
    while state.withLock({ state in
      Self.retireEnded(&state)
      return !state.running.isEmpty
    }), SystemCalls.now() < patience {
      SystemCalls.sleep(until: SystemCalls.now() + 1_000_000)
    }
    let names = state.withLock { state in
      for process in state.running.values { process.segment.setSampling(false) }
      return state.running.keys.sorted().map { Self.name(of: $0) }
    }
    // The tickers need a moment to record the CPU time of threads.
    SystemCalls.sleep(until: names.isEmpty ? 0 : SystemCalls.now() + 10_000_000)
    return state.withLock { state in
      for process in Array(state.running.keys) { Self.retire(process, &state, isReusable: false) }
      defer { state.remains = [] }
      return (state.remains, warnings(state, living: names))
    }
  }

  private static func retireEnded(_ state: inout State) {
    for (id, process) in state.running {
      var request = pollfd(fd: process.end, events: Int16(POLLIN), revents: 0)
      if poll(&request, 1, 0) > 0 { retire(id, &state, isReusable: true) }
    }
  }

  private static func retire(_ id: pid_t, _ state: inout State, isReusable: Bool) {
    guard let process = state.running.removeValue(forKey: id) else { return }
    close(process.end)
    let capture = process.drain.finish()
    if isReusable { state.spare.append(process.segment) }
    // A process that became a program without the agent has written nothing.
    guard capture.agentVersion != 0 else { return }
    state.remains.append(Remains(capture: capture, ended: SystemCalls.now()))
  }

  /// Returns a warning about processes that run on, such as `cc1[4711]`; empty without any.
  static func warnings(ofLiving living: [String]) -> [RunWarning] {
    guard !living.isEmpty else { return [] }
    return [
      RunWarning(
        code: "follow.living",
        message: "\(living.count) of the program's processes outlived it ("
          + living.prefix(5).joined(separator: ", ") + (living.count > 5 ? ", ..." : "")
          + "): the profile ends with the program")
    ]
  }

  private func warnings(_ state: State, living: [String]) -> [RunWarning] {
    var warnings: [RunWarning] = []
    warnings += Self.warnings(ofLiving: living)
    if state.refused > 0 {
      warnings.append(
        RunWarning(
          code: "follow.limit",
          message: "\(state.refused) of the program's processes were not sampled: "
            + (state.failure ?? "\(limit) others were running"),
          remedy: "Start fewer processes at once."))
    }
    if state.late > 0 {
      warnings.append(
        RunWarning(
          code: "follow.late",
          message: "\(state.late) of the program's processes were not sampled: they ended "
            + "before they were answered, because the machine was busy"))
    }
    return warnings
  }

  private static func name(of process: pid_t) -> String {
    "\(SystemCalls.name(ofProcess: process))[\(process)]"
  }
}
