internal import Glibc
public import PerfModel

/// Checks the measuring abilities of the machine, and its disturbances.
public struct Doctor: Sendable {
  /// The result of checking one property.
  public struct Check: Hashable, Sendable {
    /// The state of a property.
    public enum State: String, Sendable, Codable {
      case good
      /// Measurements work, but results are worse or incomplete.
      case degraded
      /// Something uses CPUs or memory now, which disturbs measurements.
      case disturbed
      /// An expected ability is missing.
      case missing
    }

    /// The checked property.
    public let subject: String
    /// The state.
    public let state: State
    /// The details, with numbers.
    public let detail: String
    /// The remedy; empty if none is needed.
    public let remedy: String

    /// Creates a result.
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
  ///   - finder: The finder of programs and agent libraries.
  public init(environment: Environment, finder: ProgramFinder) {
    self.environment = environment
    self.finder = finder
  }

  /// Returns the results of all checks; takes about two seconds to observe the CPUs.
  public func checks() -> [Check] {
    let before = CPUTimes()
    let wakeups = wakeups()
    let stolen = Self.stolen(from: before, to: CPUTimes())
    return [kernel()] + processors() + [stolen] + settings() + sampling() + memory() + programs()
      + [wakeups]
  }

  // MARK: - Disturbances

  private func kernel() -> Check {
    let facts = [environment[.kernel], environment[.system], environment[.container]]
    return Check(
      subject: "kernel", state: .good,
      detail: environment[.kernel] == nil
        ? "unknown: uname failed" : facts.compactMap { $0 }.joined(separator: ", "))
  }

  func processors() -> [Check] {
    var checks: [Check] = []
    let count = environment[.cpuCount].flatMap(Int.init) ?? 1
    let online = environment[.cpuOnline].flatMap(Int.init)
    checks.append(
      Check(
        subject: "CPUs", state: count > 1 ? .good : .degraded,
        detail: "\(count) x \(environment[.cpuModel] ?? "unknown model")"
          + (online.map { ", of \($0): an affinity mask excludes the others" } ?? ""),
        remedy: count > 1
          ? "" : "The sampler shares the CPU with the measured thread, so its overhead is higher.")
    )
    if let load = environment[.loadAtStart].flatMap(Double.init) {
      // The load covers the whole machine.
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
          detail: "a task waited in \(waiting) of the last ten seconds (PSI)",
          remedy: isHigh ? "Stop other programs, or measure later." : ""))
    }
    if let limit = environment[.cpuLimit] {
      checks.append(
        Check(
          subject: "CPU limit", state: limit == "none" ? .good : .degraded,
          detail: limit == "none" ? "none" : "the control group is limited to \(limit)",
          remedy: limit == "none"
            ? "" : "At the limit all threads stop until the next period, which causes hitches."))
    }
    return checks
  }

  /// Returns the share of time that the host gave to other machines during the check.
  static func stolen(from before: CPUTimes?, to after: CPUTimes?) -> Check {
    guard let before, let after, let share = after.stolenShare(since: before) else {
      return Check(
        subject: "steal", state: .good, detail: "unknown: /proc/stat has no steal time")
    }
    // The same limit makes a launch count as disturbed.
    let isHigh = share >= 0.02
    return Check(
      subject: "steal", state: isHigh ? .disturbed : .good,
      detail:
        "\(NumberFormat.human((share * 1000).rounded() / 1000, .ratio)) of the CPUs' time went "
        + "to other machines of the host during this check",
      remedy: isHigh ? "Measure at another time, or on a host that is not shared." : "")
  }

  // MARK: - Settings

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
      detail: (degrees.map { "\($0), " } ?? "") + "CPUs were throttled \(count) times since boot",
      remedy: count == 0 ? "" : "Let the machine cool down, and check its cooling.")
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
        ? "" : "With turbo, the frequency depends on heat and on other CPUs. Switch it off.")
  }

  /// Checks the setting of proc_sys_kernel(5).
  private func addresses() -> Check {
    let (state, detail): (Check.State, String) =
      switch environment[.addressRandomisation] {
      case "2": (.good, "on: each launch has its own memory layout")
      case "1": (.degraded, "on, but not for the heap")
      case "0": (.degraded, "off: all launches share one memory layout")
      case let setting?: (.good, "unknown: the kernel's setting is '\(setting)'")
      case nil: (.good, "unknown: kernel.randomize_va_space cannot be read")
      }
    return Check(
      subject: "address randomisation", state: state, detail: detail,
      remedy: state == .good
        ? "" : "Set kernel.randomize_va_space to 2, so that effects of the layout average out.")
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
        ? "The machine is shared or busy. Wall metrics depend on it, frame metrics do not." : "")
  }

  // MARK: - Abilities

  private func sampling() -> [Check] {
    var checks: [Check] = []
    for library in AgentLibrary.allCases {
      do {
        checks.append(
          Check(subject: library.subject, state: .good, detail: try finder.agent(library)))
      } catch {
        // The description contains the remedy.
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
          : "Running threads are sampled, but waiting threads are not. The kernel may lack "
            + "HAVE_ARCH_TRACEHOOK."))
    let hasCounters = environment[.hardwareCounters] == "present"
    checks.append(
      Check(
        subject: "hardware counters", state: hasCounters ? .good : .degraded,
        detail: hasCounters
          ? "present; PerfKit does not read them" : "none: no instruction and cycle counts",
        remedy: hasCounters
          ? "" : "Virtual machines seldom have them. Time metrics do not need them."))
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
        detail: hasStalls ? "/proc/pressure can be read" : "/proc/pressure does not exist",
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
        "git", without: "runs do not record their commit", remedy: "apt-get install git"),
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
