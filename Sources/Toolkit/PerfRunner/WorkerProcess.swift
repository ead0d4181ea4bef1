internal import CLinux
internal import Foundation
internal import Glibc
internal import Synchronization

/// A child process with its descriptors, its output and its end.
final class WorkerProcess: Sendable {
  /// How a process ended.
  enum Ending: Equatable {
    case exited(Int32)
    case signalled(Int32)
  }

  /// What a child is started with.
  struct Configuration {
    var path: String
    var arguments: [String]
    var environment: [String: String]
    /// Descriptors of ours and the numbers under which the child gets them.
    var descriptors: [(ours: Int32, theirs: Int32)]
    /// The folder that it runs in; nil for the harness's own.
    var directory: String?
    /// Where its standard output and error go; nil for the file of `lastOutput`.
    var streams: (output: Int32, errors: Int32)?
    /// Whether it keeps the harness's own streams and process group, as a terminal's program needs.
    var isAttended = false
    /// Whether what it has started is killed when it has ended; not of an attended one, which leads no
    /// group.
    var leavesNothing = false
    /// A signal that it must not ignore because the harness was started so.
    var ownSignal = SIGPROF
  }

  /// Its process id; it leads a process group of its own unless it is attended.
  let id: pid_t
  /// CLOCK_MONOTONIC right before it was started.
  let started: UInt64

  /// The /proc folder of its main thread.
  var mainTask: String { "/proc/\(id)/task/\(id)" }

  private let end = Mutex<(ending: Ending, usage: rusage, ownCPU: UInt64?)?>(nil)
  private let endsGroup: Bool
  private let output: Int32
  /// Readable once the process has ended; negative where the kernel has no such thing.
  private let ended: Int32

  /// Starts a program.
  ///
  /// Its standard input is empty; standard output and error go to an unnamed file of which
  /// `lastOutput` shows the end. An attended one has the harness's streams in their place.
  ///
  /// - Throws: `RunnerError.cannotStart` when the program cannot be executed.
  init(_ launch: Configuration) throws(RunnerError) {
    let output = clinux_memory_file("perfkit-output")
    guard output >= 0 else {
      throw .system(
        call: "memfd_create", object: launch.path, reason: SystemCalls.text(of: -output))
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if !launch.isAttended {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, launch.streams?.output ?? output, 1)
      posix_spawn_file_actions_adddup2(&actions, launch.streams?.errors ?? output, 2)
    }
    if let directory = launch.directory {
      clinux_spawn_in(&actions, directory)
    }
    // Copies above all the numbers that the child is given: no number is overwritten before its turn.
    let copies = launch.descriptors.map { (fcntl($0.ours, F_DUPFD_CLOEXEC, 64), $0.theirs) }
    defer {
      for (copy, _) in copies where copy >= 0 { close(copy) }
    }
    for (copy, theirs) in copies {
      posix_spawn_file_actions_adddup2(&actions, copy, theirs)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    sigemptyset(&mask)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT, launch.ownSignal] {
      sigaddset(&defaults, signal)
    }
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    let group = launch.isAttended ? 0 : POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let arguments = ([launch.path] + launch.arguments).map { strdup($0) } + [nil]
    let environment = launch.environment.map { strdup("\($0)=\($1)") } + [nil]
    defer {
      for pointer in arguments + environment { free(pointer) }
    }
    var id = pid_t()
    started = SystemCalls.now()
    let code = posix_spawn(&id, launch.path, &actions, &attributes, arguments, environment)
    guard code == 0 else {
      close(output)
      throw .cannotStart(path: launch.path, reason: SystemCalls.text(of: code))
    }
    self.id = id
    endsGroup = launch.leavesNothing && !launch.isAttended
    self.output = output
    ended = clinux_process_descriptor(id)
  }

  deinit {
    if endingIfOver() == nil {
      kill()
      _ = waitForEnd(deadline: SystemCalls.now() + 2_000_000_000)
    }
    close(output)
    if ended >= 0 { close(ended) }
  }

  /// Kills the process and all others of a group that it leads.
  func kill() { send(SIGKILL) }

  /// Sends a signal to the process and to all others of a group that it leads.
  func send(_ signal: Int32) {
    // A process that has been waited for no longer owns its number.
    guard end.withLock({ $0 == nil }) else { return }
    if Glibc.kill(-id, signal) != 0 { Glibc.kill(id, signal) }
  }

  /// Returns how it ended if it has.
  func endingIfOver() -> Ending? {
    end.withLock { end in
      if let end { return end.ending }
      guard isOver() else { return nil }
      // Until it is waited for, its number is its own and its group's.
      if endsGroup { Glibc.kill(-id, SIGKILL) }
      let ownCPU = SystemCalls.cpuTime(of: id)
      var status: Int32 = 0
      var usage = rusage()
      guard wait4(id, &status, WNOHANG, &usage) == id else { return nil }
      end = (Self.ending(of: status), usage, ownCPU)
      return end?.ending
    }
  }

  /// Whether it has ended, without waiting for it.
  private func isOver() -> Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0
      && information.si_signo == SIGCHLD
  }

  /// What the kernel counted over its whole life, and of the processes that it has waited for; nil until it has
  /// been waited for.
  var usage: rusage? { end.withLock { $0?.usage } }

  /// CPU time of its own in nanoseconds, without those processes; nil likewise.
  var ownCPU: UInt64? { end.withLock { $0?.ownCPU } }

  /// Waits for its end, at most until a moment of CLOCK_MONOTONIC.
  func waitForEnd(deadline: UInt64) -> Ending? {
    var pause: UInt64 = 100_000
    while true {
      if let ending = endingIfOver() { return ending }
      let now = SystemCalls.now()
      guard now < deadline else { return nil }
      guard ended < 0 else {
        // Its end is part of what is measured: no grid of looks may round it.
        var poll = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
        _ = Glibc.poll(&poll, 1, Int32(clamping: (deadline - now + 999_999) / 1_000_000))
        continue
      }
      SystemCalls.sleep(until: min(deadline, now + pause))
      pause = min(pause * 2, 5_000_000)
    }
  }

  /// Gives back the memory of all but the newest output, so that a talkative worker cannot fill it.
  func trimOutput() {
    let size = lseek(output, 0, SEEK_END)
    if size > 16 << 20 { _ = clinux_punch_hole(output, 0, size - 65536) }
  }

  /// The last lines that it wrote to its standard output and error, at most 2,000 bytes.
  func lastOutput() -> String {
    let size = lseek(output, 0, SEEK_END)
    guard size > 0 else { return "" }
    let start = max(0, size - 2000)
    var bytes = [UInt8](repeating: 0, count: size - start)
    let count = pread(output, &bytes, bytes.count, start)
    guard count > 0 else { return "" }
    return String(decoding: bytes[..<count], as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func ending(of status: Int32) -> Ending {
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
  }
}
