/// A number that somebody has claimed, and how it is checked.
public struct Claim: Hashable, Sendable {
  /// A variant of a scenario, whose latest run says something.
  public struct Source: Hashable, Sendable, CustomStringConvertible {
    /// The scenario.
    public let scenario: String
    /// Its variant.
    public let variant: String

    /// Creates a source.
    public init(scenario: String, variant: String) {
      self.scenario = scenario
      self.variant = variant
    }

    /// The source as references name it.
    public var description: String { "\(scenario):\(variant)" }
  }

  /// What a run says: a formula over its metrics, computed launch by launch.
  public struct Reading: Hashable, Sendable {
    /// Whose run it is.
    public let source: Source
    /// What is read, as one metric or as arithmetic over several.
    public let formula: Formula
    /// The formula as it was written.
    public let text: String

    /// Creates a reading.
    public init(_ source: Source, _ formula: Formula, text: String) {
      self.source = source
      self.formula = formula
      self.text = text
    }
  }

  /// What a claim is decided by.
  public enum Evidence: Hashable, Sendable {
    /// Stored runs; `before` stands for the state that the claim compares with, where it does.
    case measured(before: Reading?, after: Reading)
    /// Arithmetic over the numbers of the case study itself, and how it was written.
    case computed(Formula, text: String)
    /// Nothing on a machine without a screen, because of a reason.
    case notTestable(because: String)
  }

  /// The item of the case study that it belongs to and its number there, as `E17.2`.
  public let id: String
  /// The case study that claims it.
  public let study: String
  /// Its words.
  public let quote: String
  /// The number with its relation; nil where nothing can be held to it.
  public let assertion: Assertion?
  /// What it is decided by.
  public let evidence: Evidence
  /// What a reader must know of how it is held against the measurement; may be empty.
  public let note: String

  /// Creates a claim.
  public init(
    id: String, study: String, quote: String, assertion: Assertion?, evidence: Evidence,
    note: String = ""
  ) {
    self.id = id
    self.study = study
    self.quote = quote
    self.assertion = assertion
    self.evidence = evidence
    self.note = note
  }

  /// The item of the case study, as `E17`.
  public var item: String { String(id.prefix { $0 != "." }) }

  /// The readings that it needs.
  public var readings: [Reading] {
    guard case .measured(let before, let after) = evidence else { return [] }
    return [before, after].compactMap(\.self)
  }
}
