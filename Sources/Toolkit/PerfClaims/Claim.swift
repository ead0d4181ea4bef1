internal import PerfModel

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

  /// The readings before and after a change, or of one state.
  struct Readings: Hashable, Sendable, CustomStringConvertible {
    /// The state before the change; nil if there is only one state.
    let before: Reading?
    /// The state after the change, or the only one.
    let after: Reading

    var all: [Reading] { [before, after].compactMap(\.self) }

    /// The metrics with their sources, such as `wall of a:naive and a:optimised`.
    var description: String {
      guard let before else { return "\(after.text) of \(after.source)" }
      return before.text == after.text
        ? "\(after.text) of \(before.source) and \(after.source)"
        : "\(before.text) of \(before.source) and \(after.text) of \(after.source)"
    }
  }

  enum Evidence: Hashable, Sendable {
    /// Stored runs.
    case measured(Readings)
    /// Arithmetic over the case study's own numbers, with its text.
    case computed(Formula, text: String)
    /// None, because the claim cannot be tested on a machine without a screen; the reason is text.
    case notTestable(because: String)
  }

  /// An explanation of a contradiction, with the measurement that shows it.
  struct Cause: Hashable, Sendable {
    /// A result that confirms an explanation.
    struct Test: Hashable, Sendable {
      let assertion: Assertion
      let readings: Readings
    }

    /// The explanation, without a capital and a full stop, as other text surrounds it.
    let text: String
    /// The result; nil if the claim's runs show the cause, because they differ in one parameter alone.
    let test: Test?
  }

  /// The case study's item and the claim's number in it, such as `E17.2`.
  public let id: String
  let study: String
  let quote: String
  /// The claimed number with its relation; nil for a claim without a number.
  let assertion: Assertion?
  let evidence: Evidence
  /// The reason why the evidence only repeats an input; nil for evidence with a result.
  var stated: String?
  /// The explanation of a contradiction; nil if it is unknown.
  var cause: Cause?
  /// The highest possible value of a change's metric, such as the refresh rate of the display.
  var cap: Quantity?
  /// An explanation shown beside the verdict; may be empty.
  var note = ""

  /// The readings that the evidence and the cause consist of.
  public var readings: [Reading] {
    var readings = cause?.test?.readings.all ?? []
    if case .measured(let own) = evidence { readings = own.all + readings }
    return readings
  }
}
