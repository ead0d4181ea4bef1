/// The change of a function per launch: of its CPU time, or of its allocations.
public struct FunctionComparison: Hashable, Sendable {
  /// Whether the values of callees are included.
  public enum Kind: String, Sendable, Codable {
    /// The function alone.
    case own = "self"
    /// The function and its callees.
    case total
  }

  /// The displayed name.
  public let name: String
  /// The name by which the two sides are matched.
  public let key: String
  /// Whether the values of callees are included.
  public let kind: Kind
  /// The value per launch in the base: CPU nanoseconds, allocations or bytes.
  public let base: Double
  /// The value per launch in the candidate, in the same unit.
  public let candidate: Double
  /// Candidate minus base.
  public var difference: Double { candidate - base }
  /// Lower end of the interval of the difference, or nil.
  public let low: Double?
  /// Upper end of the interval of the difference, or nil.
  public let high: Double?
  /// The p-value adjusted for all functions, or nil.
  public let q: Double?
  /// Whether the change is significant.
  public let isSignificant: Bool
  /// Whether the change touches the function's source lines.
  public let isTouched: Bool

  /// Creates a comparison of a function.
  public init(
    name: String, key: String, kind: Kind, base: Double, candidate: Double, low: Double?,
    high: Double?, q: Double?, isSignificant: Bool, isTouched: Bool = false
  ) {
    self.name = name
    self.key = key
    self.kind = kind
    self.base = base
    self.candidate = candidate
    self.low = low
    self.high = high
    self.q = q
    self.isSignificant = isSignificant
    self.isTouched = isTouched
  }
}
