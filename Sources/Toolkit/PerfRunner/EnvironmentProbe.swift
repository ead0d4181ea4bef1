internal import CLinux
internal import Glibc
public import PerfModel

/// Collects the facts of the machine; unknown facts are left out.
public struct EnvironmentProbe: Sendable {
  private let directory: String
  private let variables: [String: String]

  /// Creates a probe.
  ///
  /// - Parameters:
  ///   - directory: A folder in the git checkout that is measured.
  ///   - variables: The environment variables of the process.
  public init(directory: String, variables: [String: String]) {
    self.directory = directory
    self.variables = variables
  }

  /// Returns all facts that are known now.
  public func environment() -> Environment {
    var facts = Environment(facts: [:])
    machine(&facts)
    let groups = Self.groups(SystemCalls.read("/proc/self/cgroup"), in: "/sys/fs/cgroup")
    memory(groups, &facts)
    facts[.cpuLimit] = Self.cpuLimit(groups)
    state(&facts)
    source(&facts)
    return facts
  }

  private func machine(_ facts: inout Environment) {
    var name = utsname()
    if uname(&name) == 0 {
      facts[.host] = Self.text(&name.nodename)
      facts[.kernel] = Self.text(&name.release)
    }
    facts[.system] = SystemCalls.read("/etc/os-release").flatMap { text in
      text.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        .map { String($0.dropFirst(12)).filter { $0 != "\"" } }
    }
    Self.processors(
      allowed: Int(clinux_allowed_cpus()), online: SystemCalls.onlineCPUs, &facts)
    if let text = SystemCalls.read("/proc/cpuinfo") {
      facts[.cpuModel] =
        ProcText.field("model name", in: text) ?? ProcText.field("CPU part", in: text)
      if ProcText.field("flags", in: text)?.split(separator: " ").contains("hypervisor") == true {
        facts[.container] = "virtual machine"
      }
    }
    if access("/.dockerenv", F_OK) == 0 { facts[.container] = "docker" }
    let frequency = "/sys/devices/system/cpu/cpu0/cpufreq"
    facts[.governor] = Self.line("\(frequency)/scaling_governor")
    facts[.turbo] =
      Self.line("/sys/devices/system/cpu/cpufreq/boost").map { $0 == "1" ? "on" : "off" }
      ?? Self.line("/sys/devices/system/cpu/intel_pstate/no_turbo").map { $0 == "1" ? "off" : "on" }
    facts[.addressRandomisation] = Self.line("/proc/sys/kernel/randomize_va_space")
    facts[.transparentHugePages] = Self.line("/sys/kernel/mm/transparent_hugepage/enabled")
      .flatMap { text in
        text.split(separator: " ").first { $0.hasPrefix("[") }
          .map { String($0.dropFirst().dropLast()) }
      }
    facts[.hardwareCounters] =
      access("/sys/bus/event_source/devices/cpu", F_OK) == 0
        || access("/sys/bus/event_source/devices/cpu_core", F_OK) == 0 ? "present" : "none"
    if let text = SystemCalls.read("/proc/self/status") {
      facts[.capabilities] = ProcText.field("CapEff", in: text)
    }
  }

  /// Records the usable CPUs, and the machine's CPUs if an affinity mask excludes some.
  ///
  /// - Parameters:
  ///   - allowed: The number of usable CPUs; zero or negative if unknown.
  ///   - online: The number of the machine's CPUs.
  ///   - facts: The facts to change.
  static func processors(allowed: Int, online: Int, _ facts: inout Environment) {
    guard allowed > 0 else { return }
    facts[.cpuCount] = String(allowed)
    if online > allowed { facts[.cpuOnline] = String(online) }
  }

  /// Returns the control groups of a process; the limits of each apply.
  ///
  /// - Parameters:
  ///   - text: The text of /proc/PID/cgroup; nil if unreadable.
  ///   - root: The folder of the root group, which is the process's own group in a container.
  /// - Returns: The folders of the groups, the innermost first.
  static func groups(_ text: String?, in root: String) -> [String] {
    // By cgroups(7), `0::PATH` is the group of version 2.
    let line = text?.split(separator: "\n").first { $0.hasPrefix("0::/") }
    let names = line?.dropFirst(4).split(separator: "/") ?? []
    return (0...names.count).reversed().map { count in
      names.prefix(count).reduce(root) { "\($0)/\($1)" }
    }
  }

  private func memory(_ groups: [String], _ facts: inout Environment) {
    if let text = SystemCalls.read("/proc/meminfo"),
      let total = ProcText.kilobytes(of: "MemTotal", in: text)
    {
      facts[.memoryTotal] = NumberFormat.human(Double(total), .size)
    }
    let limits = groups.compactMap { Self.line("\($0)/memory.max") }
    if !limits.isEmpty {
      facts[.cgroup] = "v2"
      let least = limits.compactMap { UInt64($0) }.min()
      facts[.memoryLimit] = least.map { NumberFormat.human(Double($0), .size) } ?? "none"
    } else if let limit = Self.line("/sys/fs/cgroup/memory/memory.limit_in_bytes") {
      facts[.cgroup] = "v1"
      // "No limit" is the largest multiple of a page that fits a signed number.
      facts[.memoryLimit] = UInt64(limit).map {
        $0 > 1 << 60 ? "none" : NumberFormat.human(Double($0), .size)
      }
    }
  }

  /// Returns the CPU limit of control groups, such as `1.5 CPUs`; `none` without a limit, nil if no
  /// control group is visible.
  private static func cpuLimit(_ groups: [String]) -> String? {
    if let found = limit(ofGroups: groups.compactMap { line("\($0)/cpu.max") }) { return found }
    let folder = "/sys/fs/cgroup/cpu/cpu.cfs_"
    return limit(line("\(folder)quota_us"), line("\(folder)period_us"))
  }

  /// Returns the tightest limit of several `cpu.max` files; nil if there is none.
  static func limit(ofGroups texts: [String]) -> String? {
    func share(_ words: [String]) -> Double {
      guard let quota = words.first.flatMap(Double.init), quota > 0,
        let period = words.last.flatMap(Double.init), period > 0
      else { return .infinity }
      return quota / period
    }
    let limits = texts.map { $0.split(separator: " ").map(String.init) }
    return limits.min { share($0) < share($1) }.flatMap { limit($0.first, $0.last) }
  }

  /// Returns a limit; a quota of `max` or a negative quota is no limit.
  static func limit(_ quota: String?, _ period: String?) -> String? {
    guard let quota, let period = period.flatMap(Double.init), period > 0 else { return nil }
    guard let time = Double(quota), time > 0 else { return "none" }
    return "\(NumberFormat.significant(time / period, digits: 3)) CPUs"
  }

  /// Records the hottest sensor and the number of thermal throttlings since boot.
  private func heat(_ facts: inout Environment) {
    let zones = (ProcText.entries(of: "/sys/class/thermal") ?? [])
      .filter { $0.hasPrefix("thermal_zone") }
      .compactMap { Self.line("/sys/class/thermal/\($0)/temp").flatMap(Double.init) }
    facts[.temperatureAtStart] = zones.max().map {
      NumberFormat.significant($0 / 1000, digits: 3) + " C"
    }
    let folder = "/sys/devices/system/cpu"
    let counts = (ProcText.entries(of: folder) ?? []).compactMap {
      Self.line("\(folder)/\($0)/thermal_throttle/core_throttle_count").flatMap(Int.init)
    }
    facts[.throttleCount] = counts.isEmpty ? nil : String(counts.reduce(0, +))
  }

  private func state(_ facts: inout Environment) {
    heat(&facts)
    // The line is `some avg10=1.53 avg60=... total=...`: the share of the last ten seconds.
    facts[.pressureAtStart] = Self.line("/proc/pressure/cpu").flatMap { line in
      line.split(separator: " ").first { $0.hasPrefix("avg10=") }.map { "\($0.dropFirst(6))%" }
    }
    facts[.loadAtStart] = Self.line("/proc/loadavg").flatMap {
      $0.split(separator: " ").first.map(String.init)
    }
    if let times = CPUTimes(), times.all > 0 {
      facts[.stealAtStart] =
        NumberFormat.significant(times.stolen / times.all * 100, digits: 2) + "%"
    }
  }

  private func source(_ facts: inout Environment) {
    guard let checkout = try? GitCheckout(containing: directory, variables: variables),
      let commit = try? checkout.commit(of: "HEAD")
    else { return }
    facts[.commit] = commit
    facts[.dirty] = (try? checkout.hasChanges()).map { $0 ? "true" : "false" }
  }

  private static func line(_ path: String) -> String? {
    SystemCalls.read(path, limit: 4096)?.split(separator: "\n").first.map {
      String($0).trimmingSpaces
    }
  }

  private static func text<Buffer>(_ buffer: inout Buffer) -> String {
    withUnsafeBytes(of: &buffer) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
