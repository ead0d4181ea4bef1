internal import PerfScenario
internal import PerfStatistics

extension RevisionGate {
  /// A scenario to measure.
  struct Item {
    let name: String
    let variant: String?
    /// Whether it is measured as a control alone: only its movement counts.
    let isControl: Bool
    /// The sides; nil for a scenario that the base lacks.
    let sides: PairedSides?
    /// Whether both sides are the same program, which needs no pairs.
    var isSameProgram = false

    var subject: String { variant.map { "\(name):\($0)" } ?? name }
  }

  /// The scenarios of a gate and their controls, with the results of those that cannot be measured.
  struct Plan {
    var items: [Item]
    var controls = ControlScenarios.none
    var failures: [GateResult] = []

    /// Returns the items to measure, without controls that are the same program on both sides.
    func measured(_ pairing: PairingSettings) -> [Item] {
      let all = items.compactMap(\.sides)
      let marked = items.map { item in
        var item = item
        item.isSameProgram =
          item.sides.map { controls.needsNoPairs($0, among: all, pairing) } ?? false
        return item
      }
      return marked.filter { !$0.isSameProgram || !$0.isControl }
    }
  }

  /// Finds scenarios and their controls in both revisions.
  ///
  /// - Parameters:
  ///   - names: The scenarios.
  ///   - variants: The variants of each scenario; empty for the default variant.
  ///   - known: Items of another plan, whose sides are used again.
  /// - Returns: The plan.
  func plan(_ names: [String], variants: [String], known: [Item] = []) -> Plan {
    var failures: [GateResult] = []
    var items: [Item] = []
    func add(_ name: String, _ variant: String?, isControl: Bool) {
      do {
        let sides: PairedSides?
        if let same = known.first(where: { $0.name == name && $0.variant == variant }) {
          sides = same.sides
        } else {
          sides = try self.sides(of: name, variant)
        }
        items.append(Item(name: name, variant: variant, isControl: isControl, sides: sides))
      } catch is CancellationError {
        // A stop is no result.
      } catch {
        failures.append(.failed(variant.map { "\(name):\($0)" } ?? name, error))
      }
    }
    for name in names {
      for variant in Measuring.variants(named: variants) {
        add(name, variant, isControl: false)
      }
    }
    var controls = ControlScenarios.none
    do {
      controls = try ControlScenarios(of: items.map(\.name), in: revisions)
    } catch {
      // A missing control must not pass silently.
      failures.append(.failed("controls", error, isOfScenario: false))
    }
    for name in controls.additional { add(name, nil, isControl: true) }
    return Plan(items: items, controls: controls, failures: failures)
  }

  /// Returns the sides of a scenario; nil if the base lacks it.
  private func sides(of name: String, _ variant: String?) throws -> PairedSides? {
    try revisions.checkKnown(name)
    guard try !revisions.isNew(name) || renamed[name] != nil else { return nil }
    return try revisions.sides(of: name, variant: variant, measuring: measuring)
  }
}
