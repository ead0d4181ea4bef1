public import PerfModel

extension VariantSettings {
  /// Returns the samples per second and thread that the variant asks for; 0 for none.
  public func rate(in scenario: Scenario) -> Int { sampleRate ?? scenario.profileRate }

  /// Returns the conditions of a launch beside its parameters, as one text.
  ///
  /// For example: `workload=book.pressure rate=1000 device_budget=256000000 pressure=0:0.4:1400000000`.
  ///
  /// - Parameters:
  ///   - scenario: The scenario of the variant.
  ///   - rate: The samples per second and thread.
  /// - Returns: The names with their values: times in nanoseconds, sizes in bytes.
  public func conditions(in scenario: Scenario, rate: Int) -> String {
    var parts: [String]
    if case .command(let words) = scenario.worker {
      parts = ["command=\(words.joined(separator: " "))"]
    } else {
      parts = ["workload=\(scenario.workload)"]
    }
    parts.append("rate=\(rate)")
    if isPageCacheCold { parts.append("\(HarnessParameter.pageCache.rawValue)=cold") }
    for (parameter, size) in [
      (HarnessParameter.deviceBudget, deviceBudget), (.jetsamLimit, jetsamLimit),
    ] {
      if let size { parts.append("\(parameter.rawValue)=\(size)") }
    }
    if !scenario.pressure.isEmpty {
      let steps = scenario.pressure.map { "\($0.at):\($0.level):\($0.hold)" }
      parts.append("pressure=\(steps.joined(separator: ","))")
    }
    return parts.joined(separator: " ")
  }
}
