public import PerfModel

/// The parameters and harness settings of one variant of a scenario.
public struct VariantSettings: Hashable, Sendable {
  /// The variant.
  public let variant: Scenario.Variant
  /// The values of all parameters of the workload; empty for a command.
  ///
  /// Later sources override earlier ones: the default, the scenario, the small set if requested,
  /// the variant, the command line.
  public let parameters: Parameters
  /// Whether the worker's files are evicted from the page cache before each launch.
  public let isPageCacheCold: Bool
  /// Bytes of memory of the simulated device, or nil.
  public let deviceBudget: UInt64?
  /// Bytes of footprint at which the worker is killed, or nil.
  public let jetsamLimit: UInt64?
  /// Samples per second and thread instead of the scenario's rate, or nil; 0 for none.
  public let sampleRate: Int?
}

extension CheckedScenario {
  /// Returns the settings of a variant.
  ///
  /// - Parameters:
  ///   - variantName: The variant; nil for the scenario's default.
  ///   - isQuick: Whether the scenario's small parameter set is applied, if it has one.
  ///   - overrides: Values of the command line; the last value of a name is used.
  /// - Returns: The settings with complete parameters.
  /// - Throws: `ScenarioError.unknownVariant`, or `.override` with the invalid argument.
  public func settings(
    variant variantName: String? = nil, isQuick: Bool = false, overrides: [ParameterOverride] = []
  ) throws(ScenarioError) -> VariantSettings {
    let name = variantName ?? scenario.defaultVariant
    guard let variant = scenario.variant(named: name) else {
      throw .unknownVariant(
        name, scenario: scenario.name, known: scenario.variants.map(\.name))
    }
    var merged = workload?.defaults ?? [:]
    let layers = [scenario.parameters, isQuick ? scenario.quick ?? [:] : [:], variant.parameters]
    for layer in layers { merged.merge(layer) { _, later in later } }
    for override in overrides {
      merged[override.name] = try override.entry.value(of: workload)
    }
    func entry(_ parameter: HarnessParameter) -> ParameterEntry? {
      merged[parameter.rawValue].map { value in
        ParameterOverride(name: parameter.rawValue, text: "\(value)").entry
      }
    }
    let isHarness = { (name: String) in HarnessParameter(rawValue: name) != nil }
    return VariantSettings(
      variant: variant,
      parameters: merged.filter { !isHarness($0.key) },
      isPageCacheCold: merged[HarnessParameter.pageCache.rawValue] == .string("cold"),
      deviceBudget: try entry(.deviceBudget)?.harnessSize(),
      jetsamLimit: try entry(.jetsamLimit)?.harnessSize(),
      sampleRate: try entry(.sampleRate)?.harnessRate())
  }
}
