/// Writes the outcomes of checks as JUnit XML, which CI systems show as tests.
///
/// - Note: https://github.com/testmoapp/junitxml
public struct JUnitRenderer: Sendable {
  /// How a check came out.
  public enum Outcome: Hashable, Sendable {
    case passed
    case failed(String)
    /// It could not be decided.
    case skipped(String)
    /// It could not be made.
    case error(String)
  }

  /// A check.
  public struct Case: Hashable, Sendable {
    /// What was checked: a scenario and its variant.
    public let suite: String
    /// The check's name.
    public let name: String
    /// How it came out.
    public let outcome: Outcome

    /// Creates a check.
    public init(suite: String, name: String, outcome: Outcome) {
      self.suite = suite
      self.name = name
      self.outcome = outcome
    }
  }

  /// Creates a renderer.
  public init() {}

  /// Returns a document with a suite for each name, in their order.
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
    func count(_ matches: (Outcome) -> Bool) -> Int { cases.count { matches($0.outcome) } }
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

  /// Returns a text for an attribute; what XML 1.0 cannot hold is left out.
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
