/// The first line of a sample in the output of `perf script`:
/// `command pid/tid [cpu] seconds: period event:`, of which the time or the event may be missing.
///
/// The name of the thread may be aligned to the right. Source: perf-script(1).
struct PerfScriptHeader {
  /// The name of the thread.
  let command: String
  /// The ids of process and thread, as printed.
  let thread: String
  /// Nanoseconds of the clock of the recording; nil if not printed.
  let time: UInt64?
  /// The number of events that the sample stands for; nil if not printed.
  let period: UInt64?
  /// The event without modifiers, such as `cycles`; empty if not printed.
  let event: String
  /// The rest of the line, which has the only stack frame of a sample without a call chain.
  let rest: ArraySlice<UInt8>

  private typealias Word = ArraySlice<UInt8>
  private static let colon = UInt8(ascii: ":")

  /// Reads a line; nil if it is no header.
  init?(_ line: ArraySlice<UInt8>) {
    // Stack frames begin with a tabulator.
    guard let first = line.first, first != 0x09 else { return nil }
    let words = line.split(separator: 0x20)
    let timePlace = words.indices.dropFirst(2).first { Self.time(words[$0]) != nil }
    let eventPlace = words.indices.dropFirst((timePlace ?? 1) + 1).first { Self.isEvent(words[$0]) }
    guard let end = timePlace ?? eventPlace else { return nil }
    // The number of the CPU is in brackets.
    var head = words[..<end].filter {
      !($0.first == UInt8(ascii: "[") && $0.last == UInt8(ascii: "]"))
    }
    var count: UInt64?
    if timePlace == nil, head.count > 2, let last = head.last?.number,
      Self.isThread(head[head.count - 2])
    {
      count = last
      head.removeLast()
    }
    guard head.count > 1, let thread = head.popLast(), Self.isThread(thread) else { return nil }
    command = head.map(\.text).joined(separator: " ")
    self.thread = thread.text
    time = timePlace.flatMap { Self.time(words[$0]) }
    if let timePlace, let eventPlace, eventPlace == timePlace + 2 {
      count = words[timePlace + 1].number
    }
    period = count
    event = eventPlace.map { Self.plain(words[$0].text) } ?? ""
    rest = line[words[eventPlace ?? end].endIndex...].trimmed
  }

  /// Returns nanoseconds of `20158.378404:`; nil for anything else.
  private static func time(_ word: Word) -> UInt64? {
    guard word.last == colon else { return nil }
    let parts = word.dropLast().split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].isNumber, parts[1].count <= 9,
      let seconds = parts[0].number, seconds < 1_000_000_000,
      let fraction = UInt64(parts[1].text + String(repeating: "0", count: 9 - parts[1].count))
    else { return nil }
    return seconds * 1_000_000_000 + fraction
  }

  private static func isEvent(_ word: Word) -> Bool {
    word.count > 1 && word.last == colon && !word.dropLast().isNumber
  }

  /// Returns whether a word is the id of a thread, or those of its process and itself.
  private static func isThread(_ word: Word) -> Bool {
    let parts = word.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.count <= 2 && parts.allSatisfy(\.isNumber)
  }

  /// Returns `cycles` for `cycles:u:` and for `cpu_core/cycles/P:`, the kind of one event on other CPUs.
  private static func plain(_ word: String) -> String {
    var name = word.dropLast()
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 3 { return String(parts[1]) }
    if let colon = name.lastIndex(of: ":"), colon > name.startIndex {
      let modifiers = name[name.index(after: colon)...]
      if !modifiers.isEmpty, modifiers.allSatisfy({ "ukhGHpPSDWebI".contains($0) }) {
        name = name[..<colon]
      }
    }
    return String(name)
  }
}
