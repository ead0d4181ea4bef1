internal import Glibc

/// The program of a running process, which may be sampled.
public struct RunningProgram {
  /// The path of the program.
  public let path: String

  /// Checks that a process can be sampled.
  ///
  /// - Parameter process: The process id.
  /// - Throws: `RunnerError.cannotAttach` if there is no such process, or if it is a thread, the kernel's,
  ///   another user's or this process.
  public init(process: Int32) throws(RunnerError) {
    guard process != getpid() else {
      throw .cannotAttach(
        process: process, reason: "it is perfkit itself", remedy: "Pass the id of another process.")
    }
    var status = stat()
    guard stat("/proc/\(process)", &status) == 0 else {
      throw .cannotAttach(
        process: process, reason: "there is no such process",
        remedy: "`ps -e` lists the processes. In a container it sees the container's alone.")
    }
    guard geteuid() == 0 || status.st_uid == geteuid() else {
      throw .cannotAttach(
        process: process, reason: "it belongs to user \(status.st_uid)",
        remedy: "Run perfkit as that user or as root.")
    }
    // The kernel accepts the id of any thread, but its records name the process.
    let line = SystemCalls.read("/proc/\(process)/status")?.split(separator: "\n")
      .first { $0.hasPrefix("Tgid:") }
    if let leader = line?.split(separator: "\t").last.flatMap({ Int32($0) }), leader != process {
      throw .cannotAttach(
        process: process, reason: "it is a thread of process \(leader)",
        remedy: "Pass --pid \(leader), which samples all of its threads.")
    }
    var link = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/\(process)/exe", &link, link.count - 1)
    guard count > 0 else {
      let code = errno
      let isDenied = code == EACCES || code == EPERM
      throw .cannotAttach(
        process: process,
        reason: code == ENOENT
          ? "it has no program: a thread of the kernel, or a process that has ended"
          : "its program is unknown (\(SystemCalls.text(of: code)))",
        remedy: isDenied
          ? "Sample it as its user, or as root with CAP_SYS_PTRACE."
          : "Pass the id of a running program.")
    }
    path = String(decoding: link[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
