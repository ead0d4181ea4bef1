internal import PerfModel
public import PerfReport

/// A message of a gate about a scenario, to be shown at the scenario's file.
public struct GateFinding: Codable, Sendable {
  /// The effect of a finding on the gate, the worst first.
  enum Level: String, CaseIterable, Codable, Comparable {
    /// The finding fails the gate.
    case failure
    /// The finding leaves the gate undecided.
    case warning
    /// The finding is for information: an improvement or an accepted regression.
    case notice

    private var rank: Int {
      switch self {
      case .failure: 0
      case .warning: 1
      case .notice: 2
      }
    }

    static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }
  }

  /// Returns findings with failures first, then warnings, then notices, in their order otherwise.
  static func sorted(_ findings: [GateFinding]) -> [GateFinding] {
    Level.allCases.flatMap { level in findings.filter { $0.level == level } }
  }

  /// The scenario's file, from the root of the repository; the project file for the gate as a whole.
  let file: String
  var subject: String
  /// The topic: topic and subject identify the same finding in the next gate.
  let topic: String
  let message: String
  let level: Level

  /// The level in the words of GitHub, of GitLab and of a comment.
  private var words: (command: String, severity: String, icon: String) {
    switch level {
    case .failure: ("error", "major", "❌")
    case .warning: ("warning", "minor", "❔")
    case .notice: ("notice", "info", "☑️")
    }
  }

  /// The line of a log that GitHub shows as an annotation.
  ///
  /// - Note: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
  var annotation: String {
    func escaped(_ text: String, _ isProperty: Bool) -> String {
      let text = text.escaping(["%": "%25", "\r": "%0D", "\n": "%0A"])
      return isProperty ? text.escaping([":": "%3A", ",": "%2C"]) : text
    }
    return "::\(words.command) file=\(escaped(file, true)),"
      + "title=\(escaped("perfkit: " + subject, true))::\(escaped(message, false))"
  }

  /// The element of a code quality report.
  ///
  /// - Note: https://docs.gitlab.com/ci/testing/code_quality/
  public var codeQuality: JSONValue {
    .object([
      "description": .string("\(subject): \(message)"),
      "check_name": "perfkit",
      // The same finding of the next run replaces this one.
      "fingerprint": .string("perfkit-\(subject)-\(topic)"),
      "severity": .string(words.severity),
      "location": .object(["path": .string(file), "lines": .object(["begin": .int(1)])]),
    ])
  }

  /// The item of a Markdown list.
  ///
  /// The lines after the first line of a message are the end of a log, shown as code.
  var markdown: String {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let first = MarkdownRenderer.escape(String(lines.first ?? ""))
    let rest = lines.dropFirst().map { "      \($0)" }
    return
      (["- \(words.icon) **\(MarkdownRenderer.escape(subject))**: \(first)"]
      + (rest.isEmpty ? [] : [""] + rest)).joined(separator: "\n")
  }
}
