internal import Foundation

/// The memory of this process as the kernel counts it, in bytes.
struct ProcessMemory {
  /// The resident memory (VmRSS).
  let resident: Int
  /// The largest resident memory since the harness began to measure (VmHWM).
  let peak: Int
  /// The resident memory without shared segments, as the harness counts it.
  let unshared: Int

  /// Reads /proc/self/status, proc_pid_status(5).
  static func now() throws -> ProcessMemory {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    func bytes(_ name: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
      let words = line?.split(whereSeparator: \.isWhitespace) ?? []
      return words.count > 1 ? (Int(words[1]) ?? 0) * 1024 : 0
    }
    return ProcessMemory(
      resident: bytes("VmRSS"), peak: bytes("VmHWM"),
      unshared: bytes("RssAnon") + bytes("RssFile"))
  }
}
