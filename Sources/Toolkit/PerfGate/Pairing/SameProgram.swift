public import PerfModel
internal import PerfRunner
internal import PerfStatistics

extension PairedSides {
  /// Returns the comparison of two sides that are the same program, of which nothing is measured.
  ///
  /// - Parameter measuring: The measurement with the time and the seed.
  /// - Returns: The comparison, equivalent and without metrics.
  public func sameProgram(_ measuring: Measuring) -> Comparison {
    func side(_ side: Side) -> Comparison.Side {
      Comparison.Side(
        run: "", scenario: scenario.name, variant: side.variant ?? scenario.defaultVariant,
        label: measuring.settings.label, commit: side.runnable.build?.revision.head,
        started: measuring.workspace.now())
    }
    return Comparison(
      id: "same-program", base: side(base), candidate: side(candidate), alpha: RunComparer.alpha,
      seed: measuring.settings.seed, isSameProgram: true, metrics: [], functions: [],
      environmentDifferences: [], warnings: [], verdict: .equivalent)
  }
}

extension ControlScenarios {
  /// Returns whether a scenario needs no pairs, as both sides are the same program.
  ///
  /// A declared control is measured as long as there is anything to control.
  ///
  /// - Parameters:
  ///   - sides: The sides of the scenario.
  ///   - all: The sides of all scenarios of the invocation.
  ///   - pairing: The choices of how pairs are made.
  /// - Returns: Whether the scenario is equivalent without pairs.
  public func needsNoPairs(
    _ sides: PairedSides, among all: [PairedSides], _ pairing: PairingSettings
  ) -> Bool {
    guard !pairing.measuresSamePrograms else { return false }
    let isAnyChanged = all.contains { one in
      !one.isUnreached && !additional.contains(one.scenario.name)
    }
    return !isAnyChanged || sides.isUnreached && !isDeclared(sides.scenario.name)
  }
}
