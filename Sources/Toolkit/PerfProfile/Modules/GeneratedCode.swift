internal import Glibc
internal import PerfModel

/// Code that a program generated while it ran: where it is, and the names that the program published.
///
/// The code is assumed to stay where it is: of two functions at one address the later one counts.
struct GeneratedCode: Sendable {
  /// A function of generated code.
  struct Function: Hashable, Sendable {
    let low: UInt64
    let high: UInt64
    let name: String
  }

  /// The named functions, ascending, without overlap.
  private(set) var functions: [Function] = []
  /// All generated code, named or not, ascending, without overlap.
  private(set) var ranges: [Range<UInt64>] = []

  /// Code without functions.
  init() {}

  /// Arranges functions and memory.
  ///
  /// - Parameters:
  ///   - named: The functions in the order in which they were published.
  ///   - memory: Memory that may be executed and belongs to no file.
  /// - Complexity: O(*n* log *n*).
  init(_ named: [Function], memory: [Range<UInt64>] = []) {
    let ordered = named.enumerated().filter { $0.element.low < $0.element.high }
      .sorted { ($0.element.low, $0.offset) < ($1.element.low, $1.offset) }.map(\.element)
    for (place, function) in ordered.enumerated() {
      let next = place + 1 < ordered.count ? ordered[place + 1].low : .max
      guard next > function.low else { continue }
      functions.append(
        Function(low: function.low, high: min(function.high, next), name: function.name))
    }
    let all = functions.map { $0.low..<$0.high } + memory.filter { !$0.isEmpty }
    for range in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = ranges.last, range.lowerBound <= last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }
  }

  /// Returns the name of the function at an address; nil if it has none.
  ///
  /// - Complexity: O(log *n*).
  func name(at address: UInt64) -> String? {
    guard let place = lastIndex(of: functions.indices, where: { functions[$0].low <= address })
    else { return nil }
    return address < functions[place].high ? functions[place].name : nil
  }

  /// Returns the parts of the code that are outside of other ranges, which ascend without overlap.
  func ranges(outside taken: [Range<UInt64>]) -> [Range<UInt64>] {
    var free: [Range<UInt64>] = []
    var place = 0
    for range in ranges {
      var low = range.lowerBound
      while place < taken.count, taken[place].upperBound <= low { place += 1 }
      var next = place
      while next < taken.count, taken[next].lowerBound < range.upperBound {
        if low < taken[next].lowerBound { free.append(low..<taken[next].lowerBound) }
        low = max(low, taken[next].upperBound)
        next += 1
      }
      if low < range.upperBound { free.append(low..<range.upperBound) }
    }
    return free
  }
}

// MARK: - Perf maps

extension GeneratedCode {
  /// Longer names are cut.
  private static let longestName = 1024

  /// The most functions that are read from one file.
  private static let mostFunctions = 4_000_000

  /// Larger files are not read: a line, which is read as a whole, may be as long as the file.
  static let mostBytes: Int = 1 << 30

  /// Reads the map that a process has written to `/tmp/perf-PID.map`.
  ///
  /// A line has a start, a length, both hexadecimal, and a name (Documentation/perf/jit-interface.txt of
  /// Linux). Other lines are skipped.
  ///
  /// - Parameters:
  ///   - process: The process id. If it still runs, its own `/tmp` is read.
  ///   - facts: The facts about a process that may have ended; nil if its `/tmp` is that of this process.
  ///   - began: When the process began, in seconds since 1970: a file that was last written before that
  ///     belongs to another process with that id. Nil if it is unknown.
  /// - Returns: The functions in the order of the file; empty without a file that the process or root
  ///   owns.
  static func perfMap(
    of process: Int32, _ facts: ProcessFacts? = nil, since began: Double?
  ) -> [Function] {
    let running = RunningProcess(process)
    let owner = running.owner ?? facts?.owner
    let known = [running.facts(root: running.root), facts].compactMap(\.self)
    let places = known.compactMap { facts in
      facts.innermostID.map { "\(facts.root)/tmp/perf-\($0).map" }
    }
    for path in places + ["/tmp/perf-\(process).map"]
    where isTrusted(path, owner: owner, since: began) {
      var functions: [Function] = []
      forEachLine(of: path) { line in
        if functions.count < mostFunctions, let function = function(line) {
          functions.append(function)
        }
      }
      return functions
    }
    return []
  }

  /// Returns whether a file was written by the process and can be read: anybody may write to `/tmp`.
  static func isTrusted(_ path: String, owner: UInt32?, since began: Double?) -> Bool {
    var status = stat()
    // Opening a pipe or a device might never return.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= mostBytes
    else { return false }
    guard began.map({ status.st_mtim.seconds >= $0 - fileTimeResolution }) ?? true else {
      return false
    }
    return [geteuid(), 0, owner].contains(status.st_uid)
  }

  /// Reads a line such as `7f3a10 40 LazyCompile:~scan app.js:1`.
  private static func function(_ line: UnsafeBufferPointer<CChar>) -> Function? {
    guard let base = line.baseAddress else { return nil }
    var end: UnsafeMutablePointer<CChar>?
    // A program may write 0x before a number, which strtoull accepts.
    let low = UInt64(strtoull(base, &end, 16))
    guard let first = end, UnsafePointer(first) != base, first.pointee == 32 else { return nil }
    let bytes = UInt64(strtoull(first, &end, 16))
    guard let second = end, second != first, second.pointee == 32 else { return nil }
    let rest = line.dropFirst(UnsafePointer(second) + 1 - base).prefix { $0 != 10 && $0 != 0 }
    let name = rest.prefix(longestName)
    let (high, overflow) = low.addingReportingOverflow(bytes)
    guard bytes > 0, !overflow, !name.isEmpty else { return nil }
    return Function(
      low: low, high: high,
      name: String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
}
