public import PerfModel

/// A claimed number with its relation, and the tolerance for a measurement of it.
public struct Assertion: Hashable, Sendable {
  /// The aspect of a measurement that the number describes.
  ///
  /// `before` and `after` are the states before and after a change.
  public enum Aspect: String, Hashable, Sendable, CaseIterable {
    /// The value before the change.
    case before
    /// The value after the change, or the only value.
    case after
    /// The factor by which the value fell: before / after.
    case less
    /// The factor by which the value rose: after / before.
    case more
    /// The share that the change removed: 1 - after / before.
    case reduction

    /// Whether the aspect needs a measurement of the state before the change.
    public var needsBefore: Bool { self != .after }
  }

  /// The relation that the case study claims between measurement and number.
  public enum Relation: String, Hashable, Sendable, CaseIterable {
    /// The measurement is at most the number.
    case atMost = "<="
    /// The measurement is at least the number.
    case atLeast = ">="
    /// The measurement is below the number.
    case below = "<"
    /// The measurement is above the number.
    case above = ">"
    /// The measurement equals the number within a tolerance.
    case equal = "="
  }

  /// The deviation allowed for a claim of equality.
  public enum Tolerance: Hashable, Sendable {
    /// None, apart from floating-point rounding.
    case exactly
    /// Any deviation below: the number is an upper limit.
    case atMost
    /// Any deviation above: the number is a lower limit.
    case atLeast
    /// A factor over 1, in both directions.
    case factor(Double)
    /// A difference, in both directions.
    case difference(Quantity)
  }

  /// The aspect of a measurement that the number describes.
  public let aspect: Aspect
  /// The relation between measurement and number.
  public let relation: Relation
  /// The lower end of the claimed range.
  public let low: Quantity
  /// The upper end of the claimed range; equal to `low` for a single number.
  public let high: Quantity
  /// The allowed deviation; nil unless the relation is `equal`.
  public let tolerance: Tolerance?

  /// Creates an assertion.
  ///
  /// - Precondition: `tolerance` is given exactly when the relation is `equal`. `low` is at most
  ///   `high`, and both are equal unless the relation is `equal`.
  public init(
    _ aspect: Aspect, _ relation: Relation, _ low: Quantity, to high: Quantity? = nil,
    tolerance: Tolerance? = nil
  ) {
    let high = high ?? low
    precondition(
      (relation == .equal) == (tolerance != nil), "equality needs a tolerance, and a limit has none"
    )
    precondition(low.baseValue <= high.baseValue, "the lower end exceeds the upper end")
    precondition(relation == .equal || low == high, "a limit is a single number")
    self.aspect = aspect
    self.relation = relation
    self.low = low
    self.high = high
    self.tolerance = tolerance
  }

  /// Creates an assertion about the value after the change, or the only value.
  public init(
    _ relation: Relation, _ low: Quantity, to high: Quantity? = nil, tolerance: Tolerance? = nil
  ) {
    self.init(.after, relation, low, to: high, tolerance: tolerance)
  }

  /// The lowest and the highest value that reproduce the claim, in base units; nil for no limit.
  public var allowed: (low: Double?, high: Double?) {
    let (low, high) = (low.baseValue, high.baseValue)
    switch relation {
    case .atMost, .below: return (nil, high)
    case .atLeast, .above: return (low, nil)
    case .equal: break
    }
    switch tolerance {
    case .exactly, nil:
      // Products of floating-point numbers differ in the last bits.
      return (low - 1e-9 * abs(low), high + 1e-9 * abs(high))
    case .atMost: return (nil, high)
    case .atLeast: return (low, nil)
    case .factor(let factor):
      return (low > 0 ? low / factor : low * factor, high > 0 ? high * factor : high / factor)
    case .difference(let quantity): return (low - quantity.baseValue, high + quantity.baseValue)
    }
  }

  /// Whether a value reproduces the claim.
  public func holds(for value: Double) -> Bool {
    switch relation {
    case .below: return value < high.baseValue
    case .above: return value > low.baseValue
    default:
      let (low, high) = allowed
      return value >= low ?? -.infinity && value <= high ?? .infinity
    }
  }

  // MARK: - Text

  /// The claim in short notation, such as `= 400 ... 500` or `less = 55x`.
  public var description: String {
    let number =
      low == high ? text(low) : "\(NumberFormat.significant(low.value)) ... \(text(high))"
    return (aspect == .after ? "" : "\(aspect.rawValue) ") + "\(relation.rawValue) \(number)"
  }

  /// The allowed range in words, such as `22.5 ms to 90 ms`.
  public var limits: String {
    switch (relation, allowed.low, allowed.high) {
    case (.below, _, _): return "under \(text(high))"
    case (.above, _, _): return "over \(text(low))"
    case (_, nil, let most?): return "at most \(bound(most, like: high))"
    case (_, let least?, nil): return "at least \(bound(least, like: low))"
    case (_, let least?, let most?):
      if tolerance == .exactly { return low == high ? text(low) : "\(text(low)) to \(text(high))" }
      return "\(bound(least, like: low)) to \(bound(most, like: high))"
    case (_, nil, nil): return ""
    }
  }

  /// Returns the limit that a value exceeds, such as `over 90 ms`, or nil.
  public func breach(by value: Double) -> String? {
    guard !holds(for: value) else { return nil }
    switch (relation, allowed.low, allowed.high) {
    case (.below, _, _): return "not under \(text(high))"
    case (.above, _, _): return "not over \(text(low))"
    case (_, let least?, _) where value < least: return "under \(bound(least, like: low))"
    case (_, _, let most?): return "over \(bound(most, like: high))"
    case (_, _, nil): return nil
    }
  }

  private func bound(_ value: Double, like quantity: Quantity) -> String {
    text(Quantity(baseValue: value, unit: quantity.unit))
  }

  /// Returns a quantity with its unit; factors end in `x`.
  private func text(_ quantity: Quantity) -> String {
    switch aspect {
    case .less, .more: return NumberFormat.significant(quantity.baseValue) + "x"
    case .before, .after, .reduction:
      let number = NumberFormat.significant(quantity.value)
      switch quantity.unit {
      case .percent: return "\(number)%"
      case .count, .ratio: return number
      default: return "\(number) \(quantity.unit.symbol)"
      }
    }
  }
}

extension Assertion: CustomStringConvertible {}
