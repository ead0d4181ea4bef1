internal import Glibc
public import PerfModel
internal import PerfProfile

/// Checks the measuring abilities of the machine, and its disturbances.
public struct Doctor: Sendable {
  /// The result of checking one property.
  public struct Check: Hashable, Sendable {
    /// The state of a property.
    public enum State: String, Sendable, Codable {
      case good
      /// The property cannot be seen, and measurements do not need it.
      case unknown
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
    public init(_ subject: String, _ detail: String, state: State = .good, remedy: String = "") {
      self.subject = subject
      self.state = state
      self.detail = detail
      self.remedy = remedy
    }

    /// Creates the result of a property that is good, or else has another state and a remedy.
    init(
      _ subject: String, isGood: Bool, else state: State = .degraded, _ detail: String,
      remedy: String
    ) {
      self.init(subject, detail, state: isGood ? .good : state, remedy: isGood ? "" : remedy)
    }

    /// Returns the result of a property that most virtual machines do not show.
    static func invisible(_ subject: String) -> Check {
      Check(subject, "not visible here, as in most virtual machines", state: .unknown)
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
    return environment[.kernel] == nil
      ? Check("kernel", "uname failed", state: .unknown)
      : Check("kernel", facts.compactMap { $0 }.joined(separator: ", "))
  }

  func processors() -> [Check] {
    let count = environment[.cpuCount].flatMap(Int.init) ?? 1
    let online = environment[.cpuOnline].flatMap(Int.init)
    var checks = [
      Check(
        "CPUs", isGood: count > 1,
        "\(count) x \(environment[.cpuModel] ?? "unknown model")"
          + (online.map { ", of \($0): an affinity mask excludes the others" } ?? ""),
        remedy: "The sampler shares the CPU with the measured thread, so its overhead is higher.")
    ]
    if let load = environment[.loadAtStart].flatMap(Double.init) {
      // The load covers the whole machine.
      checks.append(
        Check(
          "load", isGood: load <= Double(online ?? count) * 0.3, else: .disturbed,
          "\(NumberFormat.fixed(load, decimals: 2)) over the last minute",
          remedy: "Stop other programs, or measure later."))
    }
    if let waiting = environment[.pressureAtStart] {
      checks.append(
        Check(
          "waiting for CPUs", isGood: (Double(waiting.dropLast()) ?? 0) <= 10, else: .disturbed,
          "a task waited in \(waiting) of the last ten seconds (PSI)",
          remedy: "Stop other programs, or measure later."))
    }
    if let limit = environment[.cpuLimit] {
      checks.append(
        Check(
          "CPU limit", isGood: limit == "none",
          limit == "none" ? "none" : "the control group is limited to \(limit)",
          remedy: "At the limit all threads stop until the next period, which causes hitches."))
    }
    return checks
  }

  /// Returns the share of time that the host gave to other machines during the check.
  static func stolen(from before: CPUTimes?, to after: CPUTimes?) -> Check {
    guard let before, let after, let share = after.stolenShare(since: before) else {
      return Check("steal", "/proc/stat has no steal time", state: .unknown)
    }
    // The same limit makes a launch count as disturbed.
    return Check(
      "steal", isGood: share < 0.02, else: .disturbed,
      "\(NumberFormat.human((share * 1000).rounded() / 1000, .ratio)) of the CPUs' time went "
        + "to other machines of the host during this check",
      remedy: "Measure at another time, or on a host that is not shared.")
  }

  // MARK: - Settings

  func settings() -> [Check] { [heat(), governor(), turbo(), addresses()] }

  private func heat() -> Check {
    let degrees = environment[.temperatureAtStart]
    guard let count = environment[.throttleCount].flatMap(Int.init) else {
      return degrees.map { Check("heat", $0) } ?? .invisible("heat")
    }
    return Check(
      "heat", isGood: count == 0,
      (degrees.map { "\($0), " } ?? "") + "CPUs were throttled \(count) times since boot",
      remedy: "Let the machine cool down, and check its cooling.")
  }

  private func governor() -> Check {
    environment[.governor].map { governor in
      Check(
        "frequency governor", isGood: governor == "performance", governor,
        remedy: "Choose 'performance' while measuring: cpupower frequency-set -g performance")
    } ?? .invisible("frequency governor")
  }

  private func turbo() -> Check {
    environment[.turbo].map { turbo in
      Check(
        "turbo", isGood: turbo == "off", turbo,
        remedy: "With turbo, the frequency depends on heat and on other CPUs. Switch it off.")
    } ?? .invisible("turbo")
  }

  /// Checks the setting of proc_sys_kernel(5).
  private func addresses() -> Check {
    let (state, detail): (Check.State, String) =
      switch environment[.addressRandomisation] {
      case "2": (.good, "on: each launch has its own memory layout")
      case "1": (.degraded, "on, but not for the heap")
      case "0": (.degraded, "off: all launches share one memory layout")
      case let setting?: (.unknown, "the kernel's setting is '\(setting)'")
      case nil: (.unknown, "kernel.randomize_va_space cannot be read")
      }
    return Check(
      "address randomisation", isGood: state == .good, else: state, detail,
      remedy: state == .degraded
        ? "Set kernel.randomize_va_space to 2, so that effects of the layout average out." : "")
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
      "wake-ups at 120 Hz", isGood: worst <= 2_000_000,
      "median \(text(lateness[count / 2])), 99 % within \(text(worst)) of their time",
      remedy: "The machine is shared or busy. Wall metrics depend on it, frame metrics do not.")
  }

  // MARK: - Abilities

  private func sampling() -> [Check] {
    let libraries = AgentLibrary.allCases.map { library in
      do {
        return Check(library.subject, try finder.agent(library))
      } catch {
        // The description contains the remedy.
        return Check(library.subject, "\(error)", state: .missing)
      }
    }
    let isReadable = SystemCalls.read("/proc/self/task/\(getpid())/syscall") != nil
    let hasCounters = environment[.hardwareCounters] == "present"
    let obstacle = EventSession.obstacle()
    return libraries + [
      Check(
        "sampling by the kernel", isGood: obstacle == nil,
        obstacle.map { $0.leavesUserCode ? "of the code of programs only" : "refused" }
          ?? "perf_event_open is allowed",
        remedy: "'record' samples by a signal, and "
          + (obstacle?.leavesUserCode == true
            ? "--engine perf and --pid leave out time in the kernel: "
            : "--pid is not possible: ") + (obstacle?.description ?? "")),
      Check(
        "thread states", isGood: isReadable,
        "/proc/PID/task/TID/syscall \(isReadable ? "can" : "cannot") be read",
        remedy: "Running threads are sampled, but waiting threads are not. The kernel may lack "
          + "HAVE_ARCH_TRACEHOOK."),
      Check(
        "hardware counters", isGood: hasCounters,
        hasCounters
          ? "present; PerfKit does not read them" : "none: no instruction and cycle counts",
        remedy: "Virtual machines seldom have them. Time metrics do not need them."),
    ]
  }

  private func memory() -> [Check] {
    let hasPeak = ProcessReadings.resetPeak(of: getpid())
    let hasShare = ProcessReadings.proportionalMemory(of: getpid()) != nil
    let hasStalls = SystemCalls.read("/proc/pressure/cpu") != nil
    return [
      Check(
        "memory peak of a phase", isGood: hasPeak,
        hasPeak ? "/proc/PID/clear_refs can be written" : "clear_refs cannot be written",
        remedy: "Without it rss.peak is left out; the kernel needs PROC_PAGE_MONITOR."),
      Check(
        "proportional memory", isGood: hasShare,
        "smaps_rollup \(hasShare ? "can" : "cannot") be read",
        remedy: "Without it pss.end is left out."),
      Check(
        "stall times (PSI)", isGood: hasStalls,
        "/proc/pressure \(hasStalls ? "can be read" : "does not exist")",
        remedy: "Boot with psi=1 to see how long tasks waited for CPU and memory."),
      Check(
        "memory limit",
        "\(environment[.memoryLimit] ?? "unknown") (cgroup "
          + "\(environment[.cgroup] ?? "not visible")), \(environment[.memoryTotal] ?? "?") in all"),
    ]
  }

  private func programs() -> [Check] {
    [
      program(
        "gnuplot", without: "charts are drawn by the built-in SVG renderer, and there are no PNGs",
        remedy: "apt-get install gnuplot-nox"),
      program(
        "llvm-symbolizer", at: ToolPaths.found().symbolizer,
        without: "programs with split debug information have function names only",
        remedy: "It comes with the Swift toolchain: put its usr/bin into PATH."),
      program(
        "valgrind", without: "instructions cannot be counted (--count)",
        remedy: "apt-get install valgrind"),
      program(
        "git", without: "runs do not record their commit", remedy: "apt-get install git"),
    ]
  }

  private func program(_ name: String, without: String, remedy: String) -> Check {
    program(
      name, at: try? finder.path(of: .command([name]), directory: "/"), without: without,
      remedy: remedy)
  }

  private func program(
    _ name: String, at path: String?, without: String, remedy: String
  ) -> Check {
    let found = path.flatMap { access($0, X_OK) == 0 ? $0 : nil }
    let lack = path.map { "'\($0)' cannot be run" } ?? "not found"
    return Check(
      name, isGood: found != nil, found ?? "\(lack): \(without)", remedy: remedy)
  }
}
