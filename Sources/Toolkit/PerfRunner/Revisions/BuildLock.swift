internal import Glibc

/// The lock of a folder of builds, which ends with its process.
///
/// Its file contains the process group of the running build or git command, so that the next
/// process can end it if this process was killed.
struct BuildLock {
  private let file: Int32

  /// Waits for the lock.
  init(folder: String, isCancelled: () -> Bool) throws {
    let path = folder + "/lock"
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw RevisionError.notWritable(path: path, reason: SystemCalls.text(of: errno))
    }
    // The limit is an hour, more than a long build takes.
    for _ in 0..<36_000 {
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        Self.endOrphan(path)
        return
      }
      if isCancelled() { break }
      usleep(100_000)
    }
    close(file)
    if isCancelled() { throw CancellationError() }
    throw RevisionError.locked(folder: folder)
  }

  /// Records the process group and the start time of its first process.
  func note(_ group: pid_t) {
    let text = Array("\(group) \(Self.begin(of: group) ?? "")".utf8)
    ftruncate(file, 0)
    pwrite(file, text, text.count, 0)
  }

  func release() {
    ftruncate(file, 0)
    close(file)
  }

  /// Returns the start time of a process in the kernel's units; nil if it does not exist.
  private static func begin(of process: pid_t) -> String? {
    // By proc(5) the first field here is field 3, and starttime is field 22.
    let fields = SystemCalls.read("/proc/\(process)/stat").map(ProcText.fieldsBehindName) ?? []
    return fields.count > 19 ? String(fields[19]) : nil
  }

  /// Kills the recorded process group of a dead process.
  ///
  /// If the group's first process has ended, its number may belong to another process, so the group
  /// is not killed.
  private static func endOrphan(_ lock: String) {
    let words = (SystemCalls.read(lock) ?? "").split(separator: " ")
    guard words.count == 2, let group = pid_t(words[0]), group > 1,
      begin(of: group) == String(words[1]), kill(-group, SIGKILL) == 0
    else { return }
    // Two seconds: a process that waits for a disk ends late.
    for _ in 0..<200 where kill(-group, 0) == 0 { usleep(10_000) }
  }
}
