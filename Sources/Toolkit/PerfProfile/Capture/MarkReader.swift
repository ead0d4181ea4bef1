internal import CPerfFormat
internal import PerfModel

/// Parses the marks of a segment and checks every value.
struct MarkReader {
  /// The largest number of kept marks of one kind.
  ///
  /// A program that marks in a tight loop must not fill the harness's memory. A million marks are
  /// 80 seconds at 120 frames per second with 100 phases each.
  static let mostMarks = 1_000_000
  private static let mostModules = 8192
  /// Enough for an hour of a program that loads and unloads libraries all the time.
  private static let mostModuleLists = 1 << 16
  /// The largest number of modules in all distinct lists.
  private static let mostKeptModules = 1 << 18

  /// Earlier times are invalid, because the process did not exist yet.
  private let earliest: UInt64
  private(set) var garbage = 0
  private(set) var dropped = 0
  private(set) var moduleLists: [ModuleList] = []
  /// The number of lists that later ones replaced.
  private(set) var moduleListsLost = 0
  /// The distinct lists, whose memory equal lists share.
  private var distinctLists: Set<[LoadedModule]> = []
  private var keptModules = 0
  private var threads: [UInt32: Capture.Thread] = [:]
  private var intervals: [UInt32: (mark: perfkit_interval, isPaced: Bool)] = [:]
  private var frames: [(mark: perfkit_frame, ended: UInt64)] = []
  private var spans: [(mark: perfkit_span, serial: UInt32)] = []
  private var values: [(mark: perfkit_value, serial: UInt32)] = []

  init(earliest: UInt64) {
    self.earliest = earliest
  }

  /// Parses one record; its bytes are a private copy of the length in its header.
  mutating func read(_ record: UnsafeRawBufferPointer, serial: UInt32, now: UInt64) {
    let head = record.loadUnaligned(as: perfkit_record.self)
    // An interval's first refresh may be a little in the future.
    guard head.time_ns >= earliest, head.time_ns <= now + 10_000_000_000 else {
      garbage += 1
      return
    }
    switch UInt32(head.kind) {
    case PERFKIT_RECORD_THREAD_START.rawValue: load(record, Self.startThread)
    case PERFKIT_RECORD_THREAD_END.rawValue: load(record, Self.endThread)
    case PERFKIT_RECORD_MODULE.rawValue: readModule(record)
    case PERFKIT_RECORD_INTERVAL.rawValue: load(record, Self.beginInterval)
    case PERFKIT_RECORD_INTERVAL_END.rawValue: break
    case PERFKIT_RECORD_FRAME.rawValue: load(record, Self.addFrame)
    case PERFKIT_RECORD_PHASE.rawValue, PERFKIT_RECORD_SIGNPOST.rawValue:
      load(record) { $0.addSpan($1, serial: serial) }
    case PERFKIT_RECORD_COUNTER.rawValue, PERFKIT_RECORD_EVENT.rawValue:
      load(record) { $0.addValue($1, serial: serial) }
    default: garbage += 1
    }
  }

  private mutating func load<Mark>(
    _ record: UnsafeRawBufferPointer, _ use: (inout Self, Mark) -> Void
  ) {
    guard record.count >= MemoryLayout<Mark>.size else {
      garbage += 1
      return
    }
    use(&self, record.loadUnaligned(as: Mark.self))
  }

  private mutating func hasRoom(_ count: Int, of most: Int = Self.mostMarks) -> Bool {
    if count < most { return true }
    dropped += 1
    return false
  }

  // MARK: - Threads and modules

  private static func startThread(_ reader: inout Self, _ mark: perfkit_thread) {
    let known = reader.threads[mark.serial]
    if known == nil, !reader.hasRoom(reader.threads.count) { return }
    var thread = Capture.Thread(
      serial: Int(mark.serial), id: Int32(bitPattern: mark.tid), name: name(mark),
      started: mark.record.time_ns, startCPU: mark.cpu_ns)
    if let known, let end = known.endCPU {
      // Sampling was switched off and on again: CPU time in between does not count.
      let used = end >= known.startCPU ? end - known.startCPU : 0
      thread.earlierCPU = known.earlierCPU.addingClamped(used)
    }
    reader.threads[mark.serial] = thread
  }

  private static func endThread(_ reader: inout Self, _ mark: perfkit_thread) {
    if reader.threads[mark.serial] == nil {
      // The start was lost, e.g. because the ticker's ring was full.
      startThread(&reader, mark)
    }
    // Programs often name a thread after its start.
    let last = name(mark)
    if !last.isEmpty { reader.threads[mark.serial]?.name = last }
    reader.threads[mark.serial]?.ended = mark.record.time_ns
    reader.threads[mark.serial]?.endCPU = mark.cpu_ns
  }

  private static func name(_ mark: perfkit_thread) -> String {
    withUnsafeBytes(of: mark.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private mutating func readModule(_ record: UnsafeRawBufferPointer) {
    let fixed = MemoryLayout<perfkit_module>.size
    guard record.count >= fixed else {
      garbage += 1
      return
    }
    let mark = record.loadUnaligned(as: perfkit_module.self)
    let pathBytes = Int(mark.path_bytes)
    guard pathBytes <= record.count - fixed, mark.low < mark.high,
      mark.build_id_bytes <= PERFKIT_BUILD_ID_MAX
    else {
      garbage += 1
      return
    }
    if UInt32(mark.record.flags) & PERFKIT_MODULE_FIRST != 0 || moduleLists.isEmpty {
      beginModules(mark)
    }
    let last = moduleLists.count - 1
    guard hasRoom(moduleLists[last].modules.count, of: Self.mostModules) else { return }
    let path = record[fixed..<(fixed + pathBytes)].prefix { $0 != 0 }
    let buildID = withUnsafeBytes(of: mark.build_id) { Array($0.prefix(Int(mark.build_id_bytes))) }
    moduleLists[last].modules.append(
      LoadedModule(
        path: String(decoding: path, as: UTF8.self), buildID: buildID, bias: mark.bias,
        low: mark.low, high: mark.high))
  }

  private mutating func beginModules(_ mark: perfkit_module) {
    shareLastModules()
    var before = min(mark.before_ns, mark.record.time_ns)
    if moduleLists.count >= Self.mostModuleLists || keptModules > Self.mostKeptModules {
      // Keep the present list; the modules between the two lists are unknown.
      before = min(before, moduleLists.removeLast().before)
      moduleListsLost += 1
    }
    moduleLists.append(
      ModuleList(
        time: mark.record.time_ns, before: before, adds: mark.adds, subs: mark.subs, modules: []))
  }

  /// Replaces a complete list by an equal earlier one to share memory: programs load and unload the
  /// same libraries repeatedly.
  private mutating func shareLastModules() {
    guard let last = moduleLists.indices.last else { return }
    let (isNew, modules) = distinctLists.insert(moduleLists[last].modules)
    moduleLists[last].modules = modules
    if isNew { keptModules += modules.count }
  }

  // MARK: - Frames, spans and values

  private static func beginInterval(_ reader: inout Self, _ mark: perfkit_interval) {
    // The limits of `FrameGrid`.
    guard (1000...1_000_000).contains(mark.refresh_mhz) else {
      reader.garbage += 1
      return
    }
    guard reader.hasRoom(reader.intervals.count) else { return }
    let isPaced = UInt32(mark.record.flags) & PERFKIT_INTERVAL_PACED != 0
    reader.intervals[mark.interval] = (mark, isPaced)
  }

  private static func addFrame(_ reader: inout Self, _ mark: perfkit_frame) {
    let ended = mark.record.time_ns
    guard mark.began_ns <= ended, mark.began_ns >= reader.earliest, mark.woken_ns <= ended,
      mark.cpu_ns <= UInt64(Int64.max)
    else {
      reader.garbage += 1
      return
    }
    if reader.hasRoom(reader.frames.count) { reader.frames.append((mark, ended)) }
  }

  private mutating func addSpan(_ mark: perfkit_span, serial: UInt32) {
    guard mark.began_ns <= mark.record.time_ns, mark.began_ns >= earliest else {
      garbage += 1
      return
    }
    if hasRoom(spans.count) { spans.append((mark, serial)) }
  }

  private mutating func addValue(_ mark: perfkit_value, serial: UInt32) {
    guard mark.value.isFinite else {
      garbage += 1
      return
    }
    if hasRoom(values.count) { values.append((mark, serial)) }
  }

  // MARK: - The result

  /// Sets the end of threads whose end was not recorded.
  ///
  /// The kernel reuses an id only after its thread has ended. After exec, the first thread is a new
  /// one and all previous threads have ended.
  private static func ended(_ threads: [Capture.Thread], process: Int32) -> [Capture.Thread] {
    /// When the next thread of each id began.
    var next: [Int32: UInt64] = [:]
    return threads.sorted { $0.serial > $1.serial }.map { thread in
      var thread = thread
      if thread.ended == nil {
        thread.ended = [next[thread.id], next[process]].compactMap { $0 }
          .filter { $0 > thread.started }.min()
      }
      next[thread.id] = thread.started
      return thread
    }.reversed()
  }

  /// Adds the marks to a capture whose process is set, with their names resolved.
  mutating func finish(into capture: inout Capture) {
    capture.threads = Self.ended(Array(threads.values), process: capture.process)
    capture.moduleLists = moduleLists.filter { !$0.modules.isEmpty }
    spans.sort { $0.mark.record.time_ns < $1.mark.record.time_ns }
    for (mark, serial) in spans {
      guard let name = capture.names.text(mark.name) else {
        garbage += 1
        continue
      }
      let span = Capture.Span(
        name: name, thread: Int(serial), frame: mark.frame == 0 ? nil : Int(mark.frame) - 1,
        began: mark.began_ns, ended: mark.record.time_ns,
        isDetached: UInt32(mark.record.flags) & PERFKIT_SPAN_DETACHED != 0)
      if UInt32(mark.record.kind) == PERFKIT_RECORD_PHASE.rawValue {
        capture.phases.append(span)
      } else {
        capture.signposts.append(span)
      }
    }
    values.sort { $0.mark.record.time_ns < $1.mark.record.time_ns }
    for (mark, serial) in values {
      guard let name = capture.names.text(mark.name) else {
        garbage += 1
        continue
      }
      let value = Capture.Value(
        name: name, thread: Int(serial), time: mark.record.time_ns, value: mark.value)
      if UInt32(mark.record.kind) == PERFKIT_RECORD_COUNTER.rawValue {
        capture.counters.append(value)
      } else {
        capture.events.append(value)
      }
    }
    finishFrames(into: &capture)
  }

  private mutating func finishFrames(into capture: inout Capture) {
    frames.sort { $0.mark.index < $1.mark.index }
    let byInterval = Dictionary(grouping: frames, by: \.mark.interval)
    // Frames of an unmarked interval have no grid, so they cannot be judged.
    for (number, frames) in byInterval where intervals[number] == nil { garbage += frames.count }
    for (number, begin) in intervals.sorted(by: { $0.key < $1.key }) {
      let frames = sequential(byInterval[number] ?? [])
      capture.intervals.append(
        FrameMarks(
          name: capture.names.text(begin.mark.name) ?? "interval \(number)",
          grid: FrameGrid(start: begin.mark.record.time_ns, milliHertz: begin.mark.refresh_mhz),
          isPaced: begin.isPaced,
          frames: frames.map { mark, ended in
            FrameMarks.Frame(
              index: Int(mark.index), woken: mark.woken_ns, began: mark.began_ns, ended: ended,
              cpu: mark.cpu_ns)
          }))
    }
  }

  /// Returns the frames of an interval without those that begin before the previous one has ended.
  private mutating func sequential(
    _ frames: [(mark: perfkit_frame, ended: UInt64)]
  ) -> [(mark: perfkit_frame, ended: UInt64)] {
    var last: UInt64 = 0
    return frames.filter { mark, ended in
      guard mark.began_ns >= last else {
        garbage += 1
        return false
      }
      last = ended
      return true
    }
  }
}
