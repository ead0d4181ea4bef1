internal import PerfModel

/// The output of `perf script`: samples of one event with their stacks.
///
/// A sample is a header and a line for each stack frame, innermost first. If there are samples of several
/// events, the most frequent one counts. The periods of cpu-clock and task-clock are nanoseconds.
struct PerfScriptImport {
  private(set) var tree = ImportedTree(.perfScript)
  private let event: String
  private let isClock: Bool
  private let hasPeriods: Bool
  private var begin: UInt64 = .max
  private var end: UInt64 = 0
  /// The parsed frames of the lines without their addresses.
  private var frames: [ArraySlice<UInt8>: PerfScriptFrame] = [:]
  private var threads: [String: Int] = [:]
  private var skipped: (count: Int, first: Int) = (0, 0)

  /// A stack frame of the current sample.
  private struct Place {
    let frame: PerfScriptFrame
    var file: String?
    var line = 0
  }

  init(_ content: [UInt8]) throws(ImportError) {
    let events = Self.events(in: content)
    guard let most = events.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) }) else {
      throw .noSamples(.perfScript)
    }
    event = most.key
    hasPeriods = most.value.hasPeriods
    begin = most.value.begin
    isClock = hasPeriods && ["cpu-clock", "task-clock"].contains(event)
    try read(content)
    if end > begin { tree.seconds = Double(end - begin) / 1e9 }
    tree.measure =
      isClock ? .cpuTime : hasPeriods ? Profile.Measure(name: event, dimension: .count) : .samples
    warn(about: events, content)
  }

  private struct Event {
    var count = 0
    var hasPeriods = true
    var begin = UInt64.max
  }

  /// Returns the events with their numbers of samples.
  private static func events(in content: [UInt8]) -> [String: Event] {
    var events: [String: Event] = [:]
    for (_, line) in TextLines(content) {
      guard let header = PerfScriptHeader(line) else { continue }
      var event = events[header.event] ?? Event()
      event.count += 1
      event.hasPeriods = event.hasPeriods && header.period != nil
      event.begin = min(event.begin, header.time ?? .max)
      events[header.event] = event
    }
    return events
  }

  private mutating func read(_ content: [UInt8]) throws(ImportError) {
    var header: PerfScriptHeader?
    var stack: [Place] = []
    for (number, line) in TextLines(content) {
      let isIndented = line.first == 0x20 || line.first == 0x09
      if let next = PerfScriptHeader(line) {
        if let header { try add(stack, of: header) }
        header = next
        stack = []
        _ = readFrame(next.rest, into: &stack)
      } else if isIndented, header != nil {
        let text = line.trimmed
        if !readFrame(text, into: &stack), !readSource(text, into: &stack) { skip(number) }
      } else if !line.isEmpty, line.first != UInt8(ascii: "#") {
        skip(number)
      }
    }
    if let header { try add(stack, of: header) }
  }

  private mutating func skip(_ number: Int) {
    if skipped.count == 0 { skipped.first = number }
    skipped.count += 1
  }

  /// Reads a stack frame; returns whether the text is one.
  private mutating func readFrame(_ text: ArraySlice<UInt8>, into stack: inout [Place]) -> Bool {
    let address = text.prefix { $0 != 0x20 }
    guard !address.isEmpty, address.allSatisfy(Self.isHexadecimal) else { return false }
    let rest = text[address.endIndex...]
    let frame = frames[rest] ?? PerfScriptFrame(rest)
    frames[rest] = frame
    stack.append(Place(frame: frame))
    return true
  }

  /// Reads the source line of the last frame, `file.c:12`, or `module[address]` without one; returns whether
  /// the text is one.
  private func readSource(_ text: ArraySlice<UInt8>, into stack: inout [Place]) -> Bool {
    guard !stack.isEmpty else { return false }
    if text.last == UInt8(ascii: "]") { return true }
    guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > text.startIndex,
      let line = text[(colon + 1)...].number
    else { return false }
    stack[stack.count - 1].file = text[..<colon].text
    stack[stack.count - 1].line = Int(clamping: line)
    return true
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  private mutating func add(_ stack: [Place], of header: PerfScriptHeader) throws(ImportError) {
    guard header.event == event else { return }
    var node = -1
    var module = ""
    for place in stack.reversed() {
      module = place.frame.module ?? module
      let function = tree.function(place.frame.name, module: module, file: place.file)
      node = try tree.child(
        of: node, function, line: place.line, isInlined: place.frame.module == nil)
      if tree.isCut(node) { break }
    }
    if node < 0 { node = try tree.child(of: -1, tree.function("")) }
    let thread = tree.thread(header.command)
    try tree.add(
      node, thread: thread, weight: hasPeriods ? header.period.map { Double($0) } ?? 1 : 1)
    guard let time = header.time else { return }
    end = max(end, time)
    let serial = threads[header.thread] ?? threads.count + 1
    threads[header.thread] = serial
    tree.addMoment(at: time - begin, node, thread: thread, serial: serial)
  }

  private mutating func warn(about events: [String: Event], _ content: [UInt8]) {
    if events.count > 1 {
      let others = events.keys.filter { $0 != event }.sorted().prefix(4).map { "'\($0)'" }
      tree.warnings.append(
        RunWarning(
          code: "import.events",
          message: "the imported file has \(events.count) events, of which only '\(event)' counts",
          remedy:
            "Filter the output of perf script for \(others.joined(separator: ", ")) to import them."
        ))
    }
    if skipped.count > 0 {
      tree.warnings.append(
        RunWarning(
          code: "import.skipped",
          message: "\(NumberFormat.grouped(skipped.count)) lines of the imported file are neither "
            + "samples nor stack frames, the first is line \(skipped.first)"))
    }
    tree.warnings += [TextLines.truncation(of: content)].compactMap(\.self)
  }
}
