/// Where and of what a run was made; what is unknown is nil, never a guess.
public struct Environment: Hashable, Sendable, Codable {
  /// Facts by key, in words that a report can show, as `cpu.model`.
  public var facts: [String: String]

  /// Creates an environment.
  public init(facts: [String: String]) {
    self.facts = facts
  }

  /// A fact by its key.
  public subscript(_ key: Key) -> String? {
    get { facts[key.rawValue] }
    set { facts[key.rawValue] = newValue }
  }

  /// The facts that the harness knows to look for.
  public enum Key: String, Sendable, CaseIterable {
    case host
    case system = "os"
    case kernel
    case cpuModel = "cpu.model"
    /// How many CPUs the process may run on.
    case cpuCount = "cpu.count"
    /// How many CPUs the machine has, where an affinity mask leaves some of them out.
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
    /// What the program was built by: commands and flags.
    case buildFlags = "build.flags"
    /// By what the program is known again, wherever it was built.
    case buildIdentity = "build.id"
    case commit
    case dirty
    /// The hash of the content that was built, as git counts it.
    case tree
    case perfkitVersion = "perfkit.version"
    case capabilities
    case hardwareCounters = "hardware.counters"
    case injectors
    case dataset
    case container
  }

  /// A fact in which two environments differ.
  public struct Difference: Hashable, Sendable, Codable {
    /// The fact's key.
    public let key: String
    /// Its value in the base, or nil.
    public let base: String?
    /// Its value in the candidate, or nil.
    public let candidate: String?
    /// Whether results cannot be compared across it.
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

  /// The facts that are expected to differ between any two runs.
  static let changing: Set<Key> = [
    .loadAtStart, .stealAtStart, .pressureAtStart, .temperatureAtStart, .throttleCount, .commit,
    .dirty, .tree, .buildIdentity,
  ]

  /// Returns the facts in which another environment differs, the voiding ones first.
  ///
  /// Of the kernel only the first two numbers count. What is unknown in one of them is a
  /// difference that does not void.
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

  /// The facts by which machines are told apart whose noise may differ.
  static let machineKeys: [Key] = [
    .host, .cpuModel, .cpuCount, .cpuLimit, .memoryLimit, .kernel, .governor, .turbo,
  ]

  /// The machine in one text, the same for all that was measured on it: what its noise certificate
  /// is kept by.
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
