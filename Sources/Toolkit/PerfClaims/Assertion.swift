internal import PerfModel

/// A claimed number with its relation, and the tolerance for a measurement of it.
struct Assertion: Hashable, CustomStringConvertible {
  /// The aspect of a measurement that the number describes.
  enum Aspect: String {
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
  }

  enum Relation: String {
    case atMost = "<="
    case atLeast = ">="
    case below = "<"
    case above = ">"
    /// The measurement equals the number within a tolerance.
    case equal = "="
  }

  /// The deviation allowed for a claim of equality.
  enum Tolerance: Hashable {
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

  let aspect: Aspect
  let relation: Relation
  /// The lower end of the claimed range.
  let low: Quantity
  /// The upper end of the claimed range; equal to `low` for a single number.
  let high: Quantity
  /// The allowed deviation; nil unless the relation is `equal`.
  let tolerance: Tolerance?

  /// Creates an assertion.
  ///
  /// - Precondition: `tolerance` is given exactly when the relation is `equal`. `low` is at most
  ///   `high`, and both are equal unless the relation is `equal`.
  init(
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

  /// The lowest and the highest value that reproduce the claim, in base units; nil for no limit.
  var allowed: (low: Double?, high: Double?) {
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

  func holds(for value: Double) -> Bool {
    switch relation {
    case .below: return value < high.baseValue
    case .above: return value > low.baseValue
    default:
      let (low, high) = allowed
      return value >= low ?? -.infinity && value <= high ?? .infinity
    }
  }

  /// The position of an interval relative to the allowed range.
  enum Position {
    case inside, outside
  }

  /// Returns the position of an interval; nil if it reaches inside and outside of the allowed range.
  ///
  /// An interval that contains the whole allowed range reaches both, although both ends are outside.
  func position(of interval: ClosedRange<Double>) -> Position? {
    let (low, high) = (interval.lowerBound, interval.upperBound)
    switch (holds(for: low), holds(for: high)) {
    case (true, true): return .inside
    case (true, false), (false, true): return nil
    case (false, false):
      func isUnder(_ value: Double) -> Bool { allowed.low.map { value <= $0 } ?? false }
      return isUnder(low) == isUnder(high) ? .outside : nil
    }
  }

  // MARK: - Text

  /// The claim in short notation, such as `= 400 ... 500` or `less = 55x`.
  var description: String {
    let number =
      low == high ? text(low) : "\(NumberFormat.significant(low.value)) ... \(text(high))"
    return (aspect == .after ? "" : "\(aspect.rawValue) ") + "\(relation.rawValue) \(number)"
  }

  /// The allowed range in words, such as `22.5 ms to 90 ms`.
  var limits: String {
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
  func breach(by value: Double) -> String? {
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
    case .less, .more: NumberFormat.significant(quantity.baseValue) + "x"
    case .before, .after, .reduction: quantity.plain
    }
  }
}

extension Quantity {
  /// The number with four digits and its unit; counts and ratios have none.
  var plain: String {
    let number = NumberFormat.significant(value)
    return switch unit {
    case .percent: "\(number)%"
    case .count, .ratio: number
    default: "\(number) \(unit.symbol)"
    }
  }
}
