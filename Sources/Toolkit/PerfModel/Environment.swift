/// Facts of the machine and the build of a run; unknown facts are absent.
public struct Environment: Hashable, Sendable, Codable {
  /// The facts by key, such as `cpu.model`.
  public var facts: [String: String]

  /// Creates an environment.
  public init(facts: [String: String]) {
    self.facts = facts
  }

  /// The value of a fact, or nil.
  public subscript(_ key: Key) -> String? {
    get { facts[key.rawValue] }
    set { facts[key.rawValue] = newValue }
  }

  /// The facts that the harness looks for.
  public enum Key: String, Sendable, CaseIterable {
    case host
    case system = "os"
    case kernel
    case cpuModel = "cpu.model"
    /// The number of CPUs that the process may use.
    case cpuCount = "cpu.count"
    /// The number of CPUs of the machine, if an affinity mask excludes some.
    case cpuOnline = "cpu.online"
    case cpuLimit = "cpu.limit"
    case governor = "cpu.governor"
    case turbo = "cpu.turbo"
    case memoryTotal = "memory.total"
    case memoryLimit = "memory.limit"
    case cgroup
    case addressRandomisation = "aslr"
    case transparentHugePages = "thp"
    case loadAtStart = "load.start"
    case stealAtStart = "steal.start"
    case pressureAtStart = "psi.cpu.start"
    case temperatureAtStart = "thermal.start"
    case throttleCount = "thermal.throttled"
    case toolchain
    case configuration = "build.configuration"
    /// The commands and flags of the program's build.
    case buildFlags = "build.flags"
    /// The identity of the program, independent of its folder.
    case buildIdentity = "build.id"
    /// The conditions that the scenario sets and the harness creates, such as a memory budget.
    case conditions
    /// The planned launches of a run and how they are made, so that a run that was cut off can be completed.
    case launching
    /// The identity of the libraries that are preloaded into the program.
    case agentIdentity = "agent.id"
    /// The small files that the words of a command name, each with its identity.
    case commandFiles = "command.files"
    /// The words of a command behind its program.
    case arguments = "command.arguments"
    case commit
    case dirty
    /// The hash of the built content, as git counts it.
    case tree
    case perfkitVersion = "perfkit.version"
    case capabilities
    case hardwareCounters = "hardware.counters"
    case injectors
    case dataset
    case container
    /// The rule by which the size of the work was fitted to the machine, with the size and its value.
    case calibration
    /// The format of the file that the run's profile was imported from; no fact of a measured run.
    case imported
  }

  /// A fact in which two environments differ.
  public struct Difference: Hashable, Sendable, Codable {
    /// The fact's key.
    public let key: String
    /// Its value in the base, or nil.
    public let base: String?
    /// Its value in the candidate, or nil.
    public let candidate: String?
    /// Whether the difference makes results incomparable.
    public let voids: Bool

    /// Creates a difference.
    public init(key: String, base: String?, candidate: String?, voids: Bool) {
      self.key = key
      self.base = base
      self.candidate = candidate
      self.voids = voids
    }
  }

  /// The facts whose difference makes a comparison void.
  public static let voiding: Set<Key> = [
    .cpuModel, .cpuCount, .cpuLimit, .memoryLimit, .kernel, .toolchain, .configuration, .buildFlags,
    .governor, .turbo,
  ]

  /// The facts that normally differ between two runs.
  static let changing: Set<Key> = [
    .loadAtStart, .stealAtStart, .pressureAtStart, .temperatureAtStart, .throttleCount, .commit,
    .dirty, .tree, .buildIdentity, .conditions, .launching, .agentIdentity, .commandFiles,
    .arguments,
  ]

  /// Returns the facts that differ from another environment, the voiding ones first.
  ///
  /// Only the first two numbers of the kernel's version count. A fact that is unknown in one
  /// environment is a difference that does not void.
  public func differences(to candidate: Environment) -> [Difference] {
    Key.allCases.compactMap { key -> Difference? in
      guard !Self.changing.contains(key) else { return nil }
      let (base, other) = (self[key], candidate[key])
      let same =
        key == .kernel
        ? base.map(Self.majorMinor) == other.map(Self.majorMinor) : base == other
      guard !same else { return nil }
      let voids = Self.voiding.contains(key) && base != nil && other != nil
      return Difference(key: key.rawValue, base: base, candidate: other, voids: voids)
    }
    .sorted { $0.voids && !$1.voids }
  }

  /// The facts that identify a machine with its own noise.
  static let machineKeys: [Key] = [
    .host, .cpuModel, .cpuCount, .cpuLimit, .memoryLimit, .kernel, .governor, .turbo,
  ]

  /// The identity of the machine in one text, the key of its noise certificate.
  public var machine: String {
    Self.machineKeys.compactMap { key in
      self[key].map { "\(key.rawValue)=\(key == .kernel ? Self.majorMinor($0) : $0)" }
    }
    .joined(separator: "; ")
  }

  private static func majorMinor(_ version: String) -> String {
    version.split(separator: ".").prefix(2).joined(separator: ".")
  }
}
