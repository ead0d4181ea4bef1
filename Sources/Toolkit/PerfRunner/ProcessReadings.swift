internal import Glibc
internal import PerfModel

/// Readings of a process from /proc at one moment; unreadable values are nil.
struct ProcessReadings: Sendable {
  /// CPU time in nanoseconds; for an ended process, including the children that it waited for.
  var cpu: UInt64?
  /// CPU time of those children; known for ended processes.
  var childrenCPU: UInt64?
  var minorFaults: UInt64?
  var majorFaults: UInt64?
  var voluntarySwitches: UInt64?
  var involuntarySwitches: UInt64?
  var bytesRead: UInt64?
  var bytesWritten: UInt64?
  /// Nanoseconds in which the present threads, or the first thread of an ended process, were ready but
  /// had no CPU.
  var runDelay: UInt64?
  /// CPU time of the first thread; known for ended processes.
  var firstThreadCPU: UInt64?
  /// Resident bytes, the capture segment included.
  var resident: UInt64?
  /// VmHWM in bytes, the capture segment included.
  var peakResident: UInt64?

  static let unknown = ProcessReadings()

  private init() {}

  /// Reads all values that are cheap enough for the ends of a measured phase.
  init(of process: pid_t) {
    cpu = SystemCalls.cpuTime(of: process)
    let folder = "/proc/\(process)"
    if let text = SystemCalls.read("\(folder)/stat") {
      let fields = ProcText.fieldsBehindName(text)
      // By proc(5), field 10 is minflt and 12 is majflt; the first field here is field 3.
      minorFaults = fields.count > 9 ? UInt64(fields[7]) : nil
      majorFaults = fields.count > 9 ? UInt64(fields[9]) : nil
    }
    readThreads(folder)
    if let text = SystemCalls.read("\(folder)/io") {
      bytesRead = ProcText.value(of: "read_bytes", in: text)
      bytesWritten = ProcText.value(of: "write_bytes", in: text)
    }
    if let text = SystemCalls.read("\(folder)/status") {
      resident = ProcText.kilobytes(of: "VmRSS", in: text)
      peakResident = ProcText.kilobytes(of: "VmHWM", in: text)
    }
  }

  /// Returns the kernel's counts of a process that has ended.
  ///
  /// - Parameters:
  ///   - process: The process.
  ///   - peakResident: The peak in bytes, or nil.
  init(ofEnded process: WorkerProcess, peakResident: UInt64?) {
    self.peakResident = peakResident
    guard let usage = process.usage else { return }
    let cpu = Self.nanoseconds(usage.ru_utime) + Self.nanoseconds(usage.ru_stime)
    self.cpu = cpu
    // The rusage has a resolution of microseconds, so the difference may be negative.
    childrenCPU = process.ownCPU.map { cpu > $0 ? cpu - $0 : 0 }
    (firstThreadCPU, runDelay) = (process.firstThread?.ran, process.firstThread?.waited)
    minorFaults = UInt64(usage.ru_minflt)
    majorFaults = UInt64(usage.ru_majflt)
    voluntarySwitches = UInt64(usage.ru_nvcsw)
    involuntarySwitches = UInt64(usage.ru_nivcsw)
  }

  private static func nanoseconds(_ time: timeval) -> UInt64 {
    UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1000
  }

  /// Reads switches and run delay, which are kept per thread; counts of ended threads are lost.
  private mutating func readThreads(_ folder: String) {
    guard let threads = ProcText.entries(of: "\(folder)/task") else { return }
    for thread in threads {
      if let text = SystemCalls.read("\(folder)/task/\(thread)/status") {
        voluntarySwitches =
          (voluntarySwitches ?? 0) + (ProcText.value(of: "voluntary_ctxt_switches", in: text) ?? 0)
        involuntarySwitches =
          (involuntarySwitches ?? 0)
          + (ProcText.value(of: "nonvoluntary_ctxt_switches", in: text) ?? 0)
      }
      if let delay = Self.scheduling(ofTask: "\(folder)/task/\(thread)")?.waited {
        runDelay = (runDelay ?? 0) + delay
      }
    }
  }

  /// Returns the first numbers of schedstat: nanoseconds on a CPU and on a run queue.
  static func scheduling(ofTask folder: String) -> (ran: UInt64, waited: UInt64)? {
    guard let text = SystemCalls.read("\(folder)/schedstat") else { return nil }
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
    return numbers.count > 1 ? (numbers[0], numbers[1]) : nil
  }

  /// Returns proportional anonymous and file memory in bytes; slow, for the end of a phase.
  static func proportionalMemory(of process: pid_t) -> UInt64? {
    guard let text = SystemCalls.read("/proc/\(process)/smaps_rollup"),
      let anonymous = ProcText.kilobytes(of: "Pss_Anon", in: text),
      let file = ProcText.kilobytes(of: "Pss_File", in: text)
    else { return nil }
    return anonymous + file
  }

  /// Returns resident bytes from statm, including the capture segment; cheap.
  static func residentMemory(of process: pid_t) -> UInt64? {
    memory(of: process) { folder in
      guard let text = SystemCalls.read("\(folder)/statm", limit: 256) else { return nil }
      let fields = text.split(separator: " ")
      // A process without memory has zeros in all fields.
      guard fields.count > 1, fields[0] != "0", let pages = UInt64(fields[1]) else { return nil }
      return pages * UInt64(SystemCalls.pageBytes)
    }
  }

  /// Returns VmHWM in bytes, including the capture segment.
  static func peakMemory(of process: pid_t) -> UInt64? {
    memory(of: process) { folder in
      SystemCalls.read("\(folder)/status").flatMap { ProcText.kilobytes(of: "VmHWM", in: $0) }
    }
  }

  /// Reads a value of the process's memory from its first thread, or from another thread if the
  /// first one has ended.
  private static func memory(of process: pid_t, _ read: (_ folder: String) -> UInt64?) -> UInt64? {
    let folder = "/proc/\(process)"
    if let bytes = read(folder) { return bytes }
    for thread in ProcText.entries(of: "\(folder)/task") ?? [] {
      if let bytes = read("\(folder)/task/\(thread)") { return bytes }
    }
    return nil
  }

  /// Resets VmHWM; returns false if the kernel does not allow it.
  static func resetPeak(of process: pid_t) -> Bool {
    let descriptor = open("/proc/\(process)/clear_refs", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return write(descriptor, "5", 1) == 1
  }
}

/// Parsing of text from /proc.
enum ProcText {
  /// Returns the text after `KEY:` or `KEY :`, without surrounding spaces.
  static func field(_ key: String, in text: String) -> String? {
    for line in text.split(separator: "\n") where line.hasPrefix(key) {
      let rest = line.dropFirst(key.count).drop(while: \.isWhitespace)
      if rest.first == ":" { return String(rest.dropFirst()).trimmingSpaces }
    }
    return nil
  }

  /// Returns the number after `KEY:`.
  static func value(of key: String, in text: String) -> UInt64? {
    field(key, in: text).flatMap { UInt64($0.prefix(while: \.isNumber)) }
  }

  /// Returns a value in kB as bytes.
  static func kilobytes(of key: String, in text: String) -> UInt64? {
    value(of: key, in: text).map { $0 * 1024 }
  }

  /// Returns the fields of /proc/PID/stat from the state on; the name before them may contain
  /// anything.
  static func fieldsBehindName(_ text: String) -> [Substring] {
    guard let end = text.lastIndex(of: ")") else { return [] }
    return text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
  }

  /// Returns the names in a folder without `.` and `..`, or nil.
  static func entries(of folder: String) -> [String]? {
    guard let directory = opendir(folder) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
