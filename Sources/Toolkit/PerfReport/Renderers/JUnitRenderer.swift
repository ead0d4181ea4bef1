/// The renderer of check results as JUnit XML, which CI systems display as tests.
///
/// - Note: https://github.com/testmoapp/junitxml
public struct JUnitRenderer: Sendable {
  /// The result of a check.
  public enum CheckResult: Hashable, Sendable {
    /// The check passed.
    case passed
    /// The check failed, with a message.
    case failed(String)
    /// The check is undecided.
    case skipped(String)
    /// The check could not be performed.
    case error(String)
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
    var names: [String] = []
    for check in cases where !names.contains(check.suite) { names.append(check.suite) }
    let suites = names.map { name in
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
    func count(_ matches: (CheckResult) -> Bool) -> Int { cases.count { matches($0.outcome) } }
    let failed = count { if case .failed = $0 { true } else { false } }
    let errors = count { if case .error = $0 { true } else { false } }
    let skipped = count { if case .skipped = $0 { true } else { false } }
    return "tests=\"\(cases.count)\" failures=\"\(failed)\" errors=\"\(errors)\" "
      + "skipped=\"\(skipped)\""
  }

  private static func text(_ check: Case) -> String {
    let head =
      "    <testcase classname=\"\(escaped(check.suite))\" name=\"\(escaped(check.name))\""
    switch check.outcome {
    case .passed: return head + "/>"
    case .failed(let message): return element(head, "failure", message)
    case .skipped(let message): return element(head, "skipped", message)
    case .error(let message): return element(head, "error", message)
    }
  }

  private static func element(_ head: String, _ name: String, _ message: String) -> String {
    "\(head)>\n      <\(name) message=\"\(escaped(message))\"/>\n    </testcase>"
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
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
