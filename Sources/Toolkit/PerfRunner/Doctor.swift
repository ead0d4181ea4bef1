internal import Glibc
public import PerfModel

/// Finds out what this machine can measure, and what disturbs it.
public struct Doctor: Sendable {
  /// What was found about one thing.
  public struct Check: Hashable, Sendable {
    /// How good it is.
    public enum State: String, Sendable, Codable {
      case good
      /// It works, but results are worse or something is left out.
      case degraded
      /// Something takes CPUs or memory now: what is measured now is worse than it need be.
      case disturbed
      /// It does not work, and something that users expect depends on it.
      case missing
    }

    /// What was looked at.
    public let subject: String
    /// How good it is.
    public let state: State
    /// What was found, with its numbers.
    public let detail: String
    /// What to do about it; empty when nothing needs doing.
    public let remedy: String

    /// Creates a finding.
    public init(subject: String, state: State, detail: String, remedy: String = "") {
      self.subject = subject
      self.state = state
      self.detail = detail
      self.remedy = remedy
    }
  }

  private let environment: Environment
  private let finder: ProgramFinder

  /// Creates a doctor.
  ///
  /// - Parameters:
  ///   - environment: The machine's facts.
  ///   - finder: Knows where programs and the agent are looked for.
  public init(environment: Environment, finder: ProgramFinder) {
    self.environment = environment
    self.finder = finder
  }

  /// Returns all findings; takes about two seconds, in which it looks at the machine's CPUs.
  public func checks() -> [Check] {
    let before = CPUTimes()
    let wakeups = wakeups()
    let stolen = Self.stolen(from: before, to: CPUTimes())
    return [kernel()] + processors() + [stolen] + settings() + sampling() + memory() + programs()
      + [wakeups]
  }

  // MARK: - What disturbs

  private func kernel() -> Check {
    let facts = [environment[.kernel], environment[.system], environment[.container]]
    return Check(
      subject: "kernel", state: .good,
      detail: environment[.kernel] == nil
        ? "unknown: uname says nothing" : facts.compactMap { $0 }.joined(separator: ", "))
  }

  func processors() -> [Check] {
    var checks: [Check] = []
    let count = environment[.cpuCount].flatMap(Int.init) ?? 1
    let online = environment[.cpuOnline].flatMap(Int.init)
    checks.append(
      Check(
        subject: "CPUs", state: count > 1 ? .good : .degraded,
        detail: "\(count) x \(environment[.cpuModel] ?? "unknown model")"
          + (online.map { ", of \($0): an affinity mask leaves out the others" } ?? ""),
        remedy: count > 1
          ? "" : "The sampler wants a CPU beside the measured thread; its overhead will be higher.")
    )
    if let load = environment[.loadAtStart].flatMap(Double.init) {
      // The load is the whole machine's.
      let isBusy = load > Double(online ?? count) * 0.3
      checks.append(
        Check(
          subject: "load", state: isBusy ? .disturbed : .good,
          detail: "\(NumberFormat.fixed(load, decimals: 2)) over the last minute",
          remedy: isBusy ? "Stop other programs, or measure later." : ""))
    }
    if let waiting = environment[.pressureAtStart] {
      let isHigh = (Double(waiting.dropLast()) ?? 0) > 10
      checks.append(
        Check(
          subject: "waiting for CPUs", state: isHigh ? .disturbed : .good,
          detail: "\(waiting) of the last ten seconds some task waited (PSI)",
          remedy: isHigh ? "Stop other programs, or measure later." : ""))
    }
    if let limit = environment[.cpuLimit] {
      checks.append(
        Check(
          subject: "CPU limit", state: limit == "none" ? .good : .degraded,
          detail: limit == "none" ? "none" : "the control group may use \(limit)",
          remedy: limit == "none"
            ? "" : "Beyond it everything stops until the next period, which shows as hitches."))
    }
    return checks
  }

  /// How much of the time the host gave to others while we looked.
  static func stolen(from before: CPUTimes?, to after: CPUTimes?) -> Check {
    guard let before, let after, let share = after.stolenShare(since: before) else {
      return Check(
        subject: "steal", state: .good, detail: "unknown: /proc/stat does not tell of it")
    }
    // As much as a launch is called disturbed by.
    let isHigh = share >= 0.02
    return Check(
      subject: "steal", state: isHigh ? .disturbed : .good,
      detail:
        "\(NumberFormat.human((share * 1000).rounded() / 1000, .ratio)) of the CPUs' time went "
        + "to other machines of the host while we looked",
      remedy: isHigh ? "Measure at another time, or on a host that is not shared." : "")
  }

  // MARK: - How it is set

  func settings() -> [Check] { [heat(), governor(), turbo(), addresses()] }

  private func heat() -> Check {
    let degrees = environment[.temperatureAtStart]
    guard let count = environment[.throttleCount].flatMap(Int.init) else {
      return Check(
        subject: "heat", state: .good,
        detail: degrees ?? "unknown: not visible here, as in most virtual machines")
    }
    return Check(
      subject: "heat", state: count == 0 ? .good : .degraded,
      detail: (degrees.map { "\($0), " } ?? "") + "CPUs were slowed \(count) times since boot",
      remedy: count == 0 ? "" : "Let it cool down, and see that air reaches it.")
  }

  private func governor() -> Check {
    guard let governor = environment[.governor] else {
      return Check(
        subject: "frequency governor", state: .good,
        detail: "unknown: not visible here, as in most virtual machines")
    }
    let isSteady = governor == "performance"
    return Check(
      subject: "frequency governor", state: isSteady ? .good : .degraded, detail: governor,
      remedy: isSteady
        ? "" : "Choose 'performance' while measuring: cpupower frequency-set -g performance")
  }

  private func turbo() -> Check {
    guard let turbo = environment[.turbo] else {
      return Check(
        subject: "turbo", state: .good,
        detail: "unknown: not visible here, as in most virtual machines")
    }
    return Check(
      subject: "turbo", state: turbo == "off" ? .good : .degraded, detail: turbo,
      remedy: turbo == "off"
        ? "" : "With it the frequency depends on heat and on what other CPUs do: switch it off.")
  }

  /// The settings of proc_sys_kernel(5).
  private func addresses() -> Check {
    let (state, detail): (Check.State, String) =
      switch environment[.addressRandomisation] {
      case "2": (.good, "on: each launch has a memory layout of its own")
      case "1": (.degraded, "on, but not for the heap")
      case "0": (.degraded, "off: all launches share one memory layout")
      case let setting?: (.good, "unknown: the kernel's setting is '\(setting)'")
      case nil: (.good, "unknown: kernel.randomize_va_space cannot be read")
      }
    return Check(
      subject: "address randomisation", state: state, detail: detail,
      remedy: state == .good
        ? "" : "Set kernel.randomize_va_space to 2, so that layouts average out.")
  }

  private func wakeups() -> Check {
    var lateness: [UInt64] = []
    var next = SystemCalls.now()
    let count = 200
    for _ in 0..<count {
      next += 8_333_333
      SystemCalls.sleep(until: next)
      let now = SystemCalls.now()
      lateness.append(now - min(now, next))
    }
    lateness.sort()
    let worst = lateness[count * 99 / 100 - 1]
    let text = { (value: UInt64) in NumberFormat.human(Double(value), .time) }
    return Check(
      subject: "wake-ups at 120 Hz", state: worst > 2_000_000 ? .degraded : .good,
      detail: "median \(text(lateness[count / 2])), 99 % within \(text(worst)) of their time",
      remedy: worst > 2_000_000
        ? "The machine is shared or busy. Frame metrics do not depend on it, wall metrics do." : "")
  }

  // MARK: - What can be measured

  private func sampling() -> [Check] {
    var checks: [Check] = []
    for library in AgentLibrary.allCases {
      do {
        checks.append(
          Check(subject: library.subject, state: .good, detail: try finder.agent(library)))
      } catch {
        // Its description says what to do about each.
        checks.append(Check(subject: library.subject, state: .missing, detail: "\(error)"))
      }
    }
    let isReadable = SystemCalls.read("/proc/self/task/\(getpid())/syscall") != nil
    checks.append(
      Check(
        subject: "thread states", state: isReadable ? .good : .degraded,
        detail: isReadable
          ? "/proc/PID/task/TID/syscall can be read" : "/proc/PID/task/TID/syscall cannot be read",
        remedy: isReadable
          ? ""
          : "What threads run is sampled; what they wait for cannot be told, as on a kernel without "
            + "HAVE_ARCH_TRACEHOOK."))
    let hasCounters = environment[.hardwareCounters] == "present"
    checks.append(
      Check(
        subject: "hardware counters", state: hasCounters ? .good : .degraded,
        detail: hasCounters
          ? "present; PerfKit does not read them" : "none: no instruction and cycle counts",
        remedy: hasCounters
          ? "" : "Virtual machines seldom have them; times are measured all the same."))
    return checks
  }

  private func memory() -> [Check] {
    let hasPeak = ProcessReadings.resetPeak(of: getpid())
    let hasShare = ProcessReadings.proportionalMemory(of: getpid()) != nil
    let hasStalls = SystemCalls.read("/proc/pressure/cpu") != nil
    return [
      Check(
        subject: "memory peak of a phase", state: hasPeak ? .good : .degraded,
        detail: hasPeak ? "/proc/PID/clear_refs can be written" : "clear_refs cannot be written",
        remedy: hasPeak
          ? "" : "Without it rss.peak is left out; the kernel needs PROC_PAGE_MONITOR."),
      Check(
        subject: "proportional memory", state: hasShare ? .good : .degraded,
        detail: hasShare ? "smaps_rollup can be read" : "smaps_rollup cannot be read",
        remedy: hasShare ? "" : "Without it pss.end is left out."),
      Check(
        subject: "stall times (PSI)", state: hasStalls ? .good : .degraded,
        detail: hasStalls ? "/proc/pressure can be read" : "/proc/pressure is not there",
        remedy: hasStalls ? "" : "Boot with psi=1 to see how long tasks waited for CPU and memory."),
      Check(
        subject: "memory limit", state: .good,
        detail: "\(environment[.memoryLimit] ?? "unknown") (cgroup "
          + "\(environment[.cgroup] ?? "not visible")), \(environment[.memoryTotal] ?? "?") in all"),
    ]
  }

  private func programs() -> [Check] {
    [
      program(
        "gnuplot", without: "charts are drawn by the built-in SVG renderer, and there are no PNGs",
        remedy: "apt-get install gnuplot-nox"),
      program(
        "llvm-symbolizer", without: "profiles have function names only, no inlined calls and lines",
        remedy: "It comes with the Swift toolchain: put its usr/bin into PATH."),
      program(
        "git", without: "runs do not know their commit", remedy: "apt-get install git"),
    ]
  }

  private func program(_ name: String, without: String, remedy: String) -> Check {
    if let path = try? finder.path(of: .command([name]), directory: "/") {
      return Check(subject: name, state: .good, detail: path)
    }
    return Check(
      subject: name, state: .degraded, detail: "not in PATH: \(without)", remedy: remedy)
  }
}
