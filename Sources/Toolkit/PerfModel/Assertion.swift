/// A number with its relation, and how near a measurement must come to it.
public struct Assertion: Hashable, Sendable {
  /// What the number is about.
  public enum Subject: String, Hashable, Sendable, CaseIterable {
    /// What was measured before the change.
    case before
    /// What was measured after it, or was measured or computed at all.
    case after
    /// How many times less it is after the change.
    case less
    /// How many times more it is after the change.
    case more
    /// The part of it that the change has taken away.
    case reduction

    /// Whether it is about both sides of a change.
    public var needsBefore: Bool { self != .after }
  }

  /// How the measurement stands to the number, as the case study has it.
  public enum Relation: String, Hashable, Sendable, CaseIterable {
    case atMost = "<="
    case atLeast = ">="
    case below = "<"
    case above = ">"
    case equal = "="
  }

  /// How near a measurement must come to a number that is claimed to be equal to it.
  public enum Tolerance: Hashable, Sendable {
    /// All of it.
    case exactly
    /// The number is taken for a limit: it must not be more.
    case atMost
    /// The number is taken for a limit: it must not be less.
    case atLeast
    /// At most so many times more or less, over 1.
    case factor(Double)
    /// At most so much more or less.
    case difference(Quantity)
  }

  /// What it is about.
  public let subject: Subject
  /// The relation.
  public let relation: Relation
  /// The lower end of what is claimed.
  public let low: Quantity
  /// The upper end; the same as the lower one for a single number.
  public let high: Quantity
  /// How near a measurement must come; nil unless the relation is `equal`.
  public let tolerance: Tolerance?

  /// Creates an assertion.
  ///
  /// - Precondition: There is a tolerance if, and only if, the relation is `equal`; the ends are
  ///   ordered, and the same unless the relation is `equal`.
  public init(
    _ subject: Subject, _ relation: Relation, _ low: Quantity, to high: Quantity? = nil,
    tolerance: Tolerance? = nil
  ) {
    let high = high ?? low
    precondition((relation == .equal) == (tolerance != nil), "equality needs a tolerance")
    precondition(low.baseValue <= high.baseValue, "the lower end is over the upper one")
    precondition(relation == .equal || low == high, "a limit is one number")
    self.subject = subject
    self.relation = relation
    self.low = low
    self.high = high
    self.tolerance = tolerance
  }

  /// Creates an assertion about what was measured or computed.
  public init(
    _ relation: Relation, _ low: Quantity, to high: Quantity? = nil, tolerance: Tolerance? = nil
  ) {
    self.init(.after, relation, low, to: high, tolerance: tolerance)
  }

  /// What the claim's words are held to: the lowest and the highest value that reproduce it.
  public var allowed: (low: Double?, high: Double?) {
    let (low, high) = (low.baseValue, high.baseValue)
    switch relation {
    case .atMost, .below: return (nil, high)
    case .atLeast, .above: return (low, nil)
    case .equal: break
    }
    switch tolerance {
    case .exactly, nil:
      // Nobody counts on the last bit of a product of floating-point numbers.
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

  /// The claim in few words, as `= 400 ... 500 count` or `less = 55x`.
  public var description: String {
    let number =
      low == high ? text(low) : "\(NumberFormat.significant(low.value)) ... \(text(high))"
    return (subject == .after ? "" : "\(subject.rawValue) ") + "\(relation.rawValue) \(number)"
  }

  /// What it is held to, as `22.5 ms to 90 ms`.
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

  /// Says which limit a value is beyond, as `over 90 ms`; nil when it reproduces the claim.
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

  /// A quantity as people write it; how many times something changed has an x.
  private func text(_ quantity: Quantity) -> String {
    switch subject {
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
