internal import PerfModel

/// The renderer of check results as JUnit XML, which CI systems display as tests.
///
/// - Note: https://github.com/testmoapp/junitxml
public struct JUnitRenderer: Sendable {
  /// The result of a check.
  public enum CheckResult: Hashable, Sendable {
    case passed
    case failed(String)
    /// The check is undecided.
    case skipped(String)
    /// The check could not be performed.
    case error(String)

    /// The element with the message; nil for a passed check.
    fileprivate var element: (name: String, message: String)? {
      switch self {
      case .passed: nil
      case .failed(let message): ("failure", message)
      case .skipped(let message): ("skipped", message)
      case .error(let message): ("error", message)
      }
    }
  }

  /// A check.
  public struct Case: Hashable, Sendable {
    /// The scenario and variant.
    public let suite: String
    /// The check's name.
    public let name: String
    /// The result.
    public let outcome: CheckResult

    /// Creates a check.
    public init(suite: String, name: String, outcome: CheckResult) {
      self.suite = suite
      self.name = name
      self.outcome = outcome
    }
  }

  /// Creates a renderer.
  public init() {}

  /// Returns a document with one suite per name, in order of appearance.
  public func render(_ cases: [Case]) -> String {
    let suites = cases.map(\.suite).uniqued().map { name in
      let own = cases.filter { $0.suite == name }
      return """
          <testsuite name="\(Self.escaped(name))" \(Self.counts(own))>
        \(own.map(Self.text).joined(separator: "\n"))
          </testsuite>
        """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="perfkit" \(Self.counts(cases))>
      \(suites.joined(separator: "\n"))
      </testsuites>

      """
  }

  private static func counts(_ cases: [Case]) -> String {
    func count(_ name: String) -> Int { cases.count { $0.outcome.element?.name == name } }
    return "tests=\"\(cases.count)\" failures=\"\(count("failure"))\" "
      + "errors=\"\(count("error"))\" skipped=\"\(count("skipped"))\""
  }

  private static func text(_ check: Case) -> String {
    let head =
      "    <testcase classname=\"\(escaped(check.suite))\" name=\"\(escaped(check.name))\""
    guard let (name, message) = check.outcome.element else { return head + "/>" }
    return "\(head)>\n      <\(name) message=\"\(escaped(message))\"/>\n    </testcase>"
  }

  /// Returns an escaped text for an attribute, without characters that XML 1.0 cannot contain.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\r", "\t": result += "&#\(scalar.value);"
      case "\u{FFFE}", "\u{FFFF}": continue
      case _ where scalar.isControl: continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
