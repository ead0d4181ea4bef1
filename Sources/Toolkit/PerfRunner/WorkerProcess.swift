internal import CLinux
internal import Foundation
internal import Glibc
internal import Synchronization

/// A child process with its descriptors, its output and its end.
final class WorkerProcess: Sendable {
  enum Ending: Equatable {
    case exited(Int32)
    case signalled(Int32)
  }

  /// The settings of a child process.
  struct Configuration {
    var path: String
    var arguments: [String]
    var environment: [String: String]
    /// Descriptors of the harness and their numbers in the child.
    var descriptors: [(ours: Int32, theirs: Int32)]
    /// The working directory, which PWD names; nil for the harness's.
    var directory: String?
    /// The absolute path of standard input.
    var input = "/dev/null"
    /// Whether standard output is discarded.
    var discardsOutput = false
    /// The targets of standard output and error; nil for the file of `lastOutput`.
    var streams: (output: Int32, errors: Int32)?
    /// Whether the child keeps the harness's streams and process group, as an interactive program
    /// needs.
    var isAttended = false
    /// Whether the child's remaining process group is killed when the child ends; not for attended
    /// children, which lead no group.
    var leavesNothing = false
    /// Whether the guard kills the child's process group when the harness ends; not for attended children.
    var isGuarded = false
    /// A signal that is reset to its default, because the harness may ignore it.
    var ownSignal = SIGPROF
  }

  /// The process id; unless attended, the process leads its own group.
  let id: pid_t
  /// CLOCK_MONOTONIC right before the start.
  let started: UInt64

  var mainTask: String { "/proc/\(id)/task/\(id)" }

  /// The end of the process with the readings that are possible until it is reaped.
  private struct End {
    let ending: Ending
    let moment: UInt64
    let usage: rusage
    let ownCPU: UInt64?
    let firstThread: (ran: UInt64, waited: UInt64)?
  }

  private let end = Mutex<End?>(nil)
  private let endsGroup: Bool
  private let isGuarded: Bool
  private let output: Int32
  /// A pidfd, readable when the process has ended; negative if the kernel has none.
  private let ended: Int32

  /// Starts a program.
  ///
  /// Standard output and error go to an unnamed file, whose end `lastOutput` returns. An attended
  /// program has the harness's streams instead.
  ///
  /// - Throws: `RunnerError.cannotStart` if the program cannot be executed.
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
      posix_spawn_file_actions_addopen(&actions, 0, launch.input, O_RDONLY, 0)
      if launch.discardsOutput {
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
      } else {
        posix_spawn_file_actions_adddup2(&actions, launch.streams?.output ?? output, 1)
      }
      posix_spawn_file_actions_adddup2(&actions, launch.streams?.errors ?? output, 2)
    }
    if let directory = launch.directory {
      clinux_spawn_in(&actions, directory)
    }
    // The copies have numbers above those in the child, so that no descriptor is overwritten early.
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
    for signal in [SIGINT, SIGTERM, SIGPIPE, SIGXFSZ, SIGHUP, SIGQUIT, launch.ownSignal] {
      sigaddset(&defaults, signal)
    }
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    let group = launch.isAttended ? 0 : POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let arguments = ([launch.path] + launch.arguments).map { strdup($0) } + [nil]
    var variables = launch.environment
    if let directory = launch.directory { variables["PWD"] = directory }
    let environment = variables.map { strdup("\($0)=\($1)") } + [nil]
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
    isGuarded = launch.isGuarded && !launch.isAttended
    self.output = output
    ended = clinux_process_descriptor(id)
    if isGuarded { clinux_guard_group(id) }
  }

  deinit {
    if endingIfOver() == nil {
      kill()
      // On a busy machine the kernel may need longer to free a large memory.
      if waitForEnd(deadline: SystemCalls.now() + 2_000_000_000) == nil {
        if isGuarded { clinux_release_group(id) }
        Self.reapLater(id)
      }
    }
    close(output)
    if ended >= 0 { close(ended) }
  }

  /// Waits for the end of a killed process in a thread of its own, so that none remains as a zombie.
  ///
  /// A waiter for any child, such as Swift Testing's, would meet the zombie again and again.
  private static func reapLater(_ id: pid_t) {
    Thread.detachNewThread {
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// Kills the process and its group if it leads one.
  func kill() { send(SIGKILL) }

  /// Sends a signal to the process and its group if it leads one.
  func send(_ signal: Int32) {
    // After the wait, another process may have the number.
    guard end.withLock({ $0 == nil }) else { return }
    if Glibc.kill(-id, signal) != 0 { Glibc.kill(id, signal) }
  }

  /// Returns the end of the process, or nil if it runs.
  func endingIfOver() -> Ending? {
    end.withLock { end in
      if let end { return end.ending }
      guard isOver() else { return nil }
      // The readings must not prolong the launch.
      let moment = SystemCalls.now()
      // Until the wait, the number belongs to the process and its group.
      if endsGroup { Glibc.kill(-id, SIGKILL) }
      if isGuarded { clinux_release_group(id) }
      let ownCPU = SystemCalls.cpuTime(of: id)
      let firstThread = ProcessReadings.scheduling(ofTask: mainTask)
      var status: Int32 = 0
      var usage = rusage()
      guard wait4(id, &status, WNOHANG, &usage) == id else { return nil }
      end = End(
        ending: Self.ending(of: status), moment: moment, usage: usage, ownCPU: ownCPU,
        firstThread: firstThread)
      return end?.ending
    }
  }

  /// Returns whether the process has ended, without reaping it.
  private func isOver() -> Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0
      && information.si_signo == SIGCHLD
  }

  /// CLOCK_MONOTONIC when the end was noticed; nil until the process was reaped.
  var endMoment: UInt64? { end.withLock { $0?.moment } }

  /// The kernel's counts over the whole life, including waited-for children; nil until the process
  /// was reaped.
  var usage: rusage? { end.withLock { $0?.usage } }

  /// CPU time in nanoseconds without those children; nil until the process was reaped.
  var ownCPU: UInt64? { end.withLock { $0?.ownCPU } }

  /// Nanoseconds in which the first thread ran, and was ready but had no CPU; nil until the process
  /// was reaped.
  var firstThread: (ran: UInt64, waited: UInt64)? { end.withLock { $0?.firstThread } }

  /// Waits for the end until a moment of CLOCK_MONOTONIC; returns nil on timeout.
  func waitForEnd(deadline: UInt64) -> Ending? {
    var pause: UInt64 = 100_000
    while true {
      if let ending = endingIfOver() { return ending }
      let now = SystemCalls.now()
      guard now < deadline else { return nil }
      guard ended < 0 else {
        // The end is part of the measurement, so polling intervals must not round it.
        var poll = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
        _ = Glibc.poll(&poll, 1, Int32(clamping: (deadline - now + 999_999) / 1_000_000))
        continue
      }
      SystemCalls.sleep(until: min(deadline, now + pause))
      pause = min(pause * 2, 5_000_000)
    }
  }

  /// The result of a wait that may stop before the end.
  enum Wait: Equatable {
    case ended(Ending)
    case cancelled
    case timedOut
  }

  /// Waits for the end until a moment of CLOCK_MONOTONIC, or until the user stops.
  ///
  /// A process that has ended counts as ended, even if the user has stopped or the time is over.
  ///
  /// - Parameters:
  ///   - deadline: The moment in nanoseconds; nil for no limit.
  ///   - isCancelled: Returns whether the user wants to stop; called ten times a second.
  /// - Returns: The end, or the reason why the process still runs.
  func waitForEnd(deadline: UInt64?, isCancelled: () -> Bool) -> Wait {
    while true {
      if let ending = endingIfOver() { return .ended(ending) }
      if isCancelled() { return .cancelled }
      let now = SystemCalls.now()
      if let deadline, now >= deadline { return .timedOut }
      _ = waitForEnd(deadline: min(deadline ?? .max, now + 100_000_000))
    }
  }

  /// The bytes of output that are kept for metrics and messages.
  static let mostKeptOutput = 1 << 20

  /// Releases the memory of all except the newest output, so that output cannot fill the memory.
  func trimOutput() {
    let size = lseek(output, 0, SEEK_END)
    if size > 16 << 20 { _ = clinux_punch_hole(output, 0, size - Self.mostKeptOutput) }
  }

  /// Returns the end of standard output and error, at most 2,000 bytes.
  ///
  /// It begins with a whole word, as a part of a secret would not match its pattern.
  func lastOutput() -> String {
    let most = 2000
    let end = keptOutput(last: most + 1)
    guard end.utf8.count > most, let gap = end.firstIndex(where: \.isWhitespace) else { return end }
    return String(end[gap...].drop(while: \.isWhitespace))
  }

  /// Returns the end of standard output and error.
  func keptOutput(last bytes: Int) -> String { SystemCalls.text(in: output, last: bytes) }

  private static func ending(of status: Int32) -> Ending {
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
  }
}
