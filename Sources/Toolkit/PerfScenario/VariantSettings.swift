public import PerfModel

/// What one variant of a scenario is launched with.
public struct VariantSettings: Hashable, Sendable {
  /// The variant.
  public let variant: Scenario.Variant
  /// Every parameter of the workload; empty for a command.
  ///
  /// Its default, then the scenario's value, the small set's where it is asked for, the variant's,
  /// and the command line's: the last one stands.
  public let parameters: Parameters
  /// Whether the worker's files are put out of the page cache before each launch.
  public let isPageCacheCold: Bool
  /// Bytes of memory that the pretended device has, or nil.
  public let deviceBudget: UInt64?
  /// Bytes of footprint at which the worker is killed, or nil.
  public let jetsamLimit: UInt64?
  /// Samples a second and thread in place of the scenario's, or nil; 0 is none.
  public let sampleRate: Int?
}

extension CheckedScenario {
  /// Returns what a variant is launched with.
  ///
  /// - Parameters:
  ///   - variantName: Nil for the scenario's default.
  ///   - isQuick: Whether the scenario's small parameter set is put on top, where it has one.
  ///   - overrides: From the command line; the last of one name stands.
  /// - Returns: Complete parameters.
  /// - Throws: `ScenarioError.unknownVariant`, or `.override` with the argument that is wrong.
  public func plan(
    variant variantName: String? = nil, isQuick: Bool = false, overrides: [ParameterOverride] = []
  ) throws(ScenarioError) -> VariantSettings {
    let name = variantName ?? scenario.defaultVariant
    guard let variant = scenario.variant(named: name) else {
      throw .unknownVariant(
        name, scenario: scenario.name, known: scenario.variants.map(\.name))
    }
    var merged = Parameters(
      uniqueKeysWithValues: (workload?.parameters ?? []).map { ($0.name, $0.defaultValue) })
    let layers = [scenario.parameters, isQuick ? scenario.quick ?? [:] : [:], variant.parameters]
    for layer in layers { merged.merge(layer) { _, later in later } }
    for override in overrides {
      merged[override.name] = try Self.value(override.entry, workload)
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
