internal import Foundation
internal import Glibc

/// Wrappers of system calls that several files use.
enum SystemCalls {
  /// Bytes of a page of memory: 4 KiB on x86-64, up to 64 KiB elsewhere.
  static let pageBytes = sysconf(Int32(_SC_PAGESIZE))

  /// The CPUs of the machine.
  static let onlineCPUs = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

  /// CLOCK_MONOTONIC in nanoseconds.
  static func now() -> UInt64 { clock(CLOCK_MONOTONIC) ?? 0 }

  /// Returns the CPU time of a process with its ended threads in nanoseconds; nil if it is gone.
  static func cpuTime(of process: pid_t) -> UInt64? {
    // clock_getcpuclockid(3) computes the same id, but refuses processes of other user namespaces.
    clock((~clockid_t(process) << 3) | 2)
  }

  /// Returns the CPU time of the calling thread in nanoseconds.
  static func threadCPUTime() -> UInt64? { clock(CLOCK_THREAD_CPUTIME_ID) }

  static func text(of code: Int32) -> String { String(cString: strerror(code)) }

  static func error(_ call: String, on object: String) -> RunnerError {
    .system(call: call, object: object, reason: text(of: errno))
  }

  /// Returns the name of a process's first thread; `?` for a process that has ended.
  static func name(ofProcess process: pid_t) -> String {
    read("/proc/\(process)/comm")?.filter { $0 != "\n" } ?? "?"
  }

  /// Reads a small file, such as a file of /proc; nil if it cannot be read.
  static func read(_ path: String, limit: Int = 1 << 20) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    while bytes.count < limit {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes.append(contentsOf: buffer[..<count])
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the last bytes of an open file as text without surrounding white space.
  static func text(in file: Int32, last limit: Int = .max) -> String {
    let size = lseek(file, 0, SEEK_END)
    guard size > 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: min(size, limit))
    let count = pread(file, &bytes, bytes.count, size - bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  static func sleep(until nanoseconds: UInt64) {
    var moment = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
  }

  private static func clock(_ id: clockid_t) -> UInt64? {
    var time = timespec()
    guard clock_gettime(id, &time) == 0 else { return nil }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
