/// A number that a case study claims, and the evidence that decides it.
public struct Claim: Hashable, Sendable {
  /// A variant of a scenario, represented by its latest run.
  public struct Source: Hashable, Sendable, CustomStringConvertible {
    /// The scenario's name.
    public let scenario: String
    /// The variant's name.
    public let variant: String

    /// Creates a source.
    public init(scenario: String, variant: String) {
      self.scenario = scenario
      self.variant = variant
    }

    /// The source in the notation of claim files: `scenario:variant`.
    public var description: String { "\(scenario):\(variant)" }
  }

  /// A formula over the metrics of one source's run, computed launch by launch.
  public struct Reading: Hashable, Sendable {
    /// The source of the run.
    public let source: Source
    /// One metric, or arithmetic over several.
    let formula: Formula
    /// The formula's text in the claim file.
    let text: String
  }

  enum Evidence: Hashable, Sendable {
    /// Stored runs. `before` is nil when the claim is about one state only.
    case measured(before: Reading?, after: Reading)
    /// Arithmetic over the case study's own numbers, with its text.
    case computed(Formula, text: String)
    /// None, because the claim cannot be tested on a machine without a screen; the reason is text.
    case notTestable(because: String)
  }

  /// The case study's item and the claim's number in it, such as `E17.2`.
  public let id: String
  let study: String
  let quote: String
  /// The claimed number with its relation; nil for a claim without a number.
  let assertion: Assertion?
  let evidence: Evidence
  /// An explanation shown beside the verdict; may be empty.
  var note = ""

  /// The readings that the evidence consists of.
  public var readings: [Reading] {
    guard case .measured(let before, let after) = evidence else { return [] }
    return [before, after].compactMap(\.self)
  }
}
