internal import PerfModel
internal import PerfReport

/// Something that a gate says about a scenario and that a reviewer should see at it.
struct GateFinding {
  /// What it does to the gate, the worst first.
  enum Level: Int, CaseIterable {
    /// It turns the gate red.
    case failure
    /// It leaves something open.
    case warning
    /// It is worth knowing: an improvement, or what somebody has accepted.
    case notice
  }

  /// The scenario's file, from the root of the repository; what is of no scenario is of the file
  /// that says what the gate does.
  let file: String
  /// The scenario and variant.
  let subject: String
  /// What it is about: with the subject it names the same finding in the next gate as well.
  let topic: String
  /// What was found.
  let message: String
  /// What it does to the gate.
  let level: Level

  /// A line of the log that GitHub makes an annotation of.
  ///
  /// - Note: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
  var annotation: String {
    func escaped(_ text: String, _ isProperty: Bool) -> String {
      let text = text.escaping(["%": "%25", "\r": "%0D", "\n": "%0A"])
      return isProperty ? text.escaping([":": "%3A", ",": "%2C"]) : text
    }
    let command =
      switch level {
      case .failure: "error"
      case .warning: "warning"
      case .notice: "notice"
      }
    return "::\(command) file=\(escaped(file, true)),"
      + "title=\(escaped("perfkit: " + subject, true))::\(escaped(message, false))"
  }

  /// An element of a code quality report.
  ///
  /// - Note: https://docs.gitlab.com/ci/testing/code_quality/
  var codeQuality: JSONValue {
    let severity =
      switch level {
      case .failure: "major"
      case .warning: "minor"
      case .notice: "info"
      }
    return .object([
      "description": .string("\(subject): \(message)"),
      "check_name": "perfkit",
      // The same finding of the next run takes the place of this one.
      "fingerprint": .string("perfkit-\(subject)-\(topic)"),
      "severity": .string(severity),
      "location": .object(["path": .string(file), "lines": .object(["begin": .int(1)])]),
    ])
  }

  /// An item of a list in Markdown.
  ///
  /// What a message has below its first line stands there as it is: it is the end of a log.
  var markdown: String {
    let icon =
      switch level {
      case .failure: "❌"
      case .warning: "❔"
      case .notice: "☑️"
      }
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let first = MarkdownRenderer.escape(String(lines.first ?? ""))
    let rest = lines.dropFirst().map { "      \($0)" }
    return
      (["- \(icon) **\(MarkdownRenderer.escape(subject))**: \(first)"]
      + (rest.isEmpty ? [] : [""] + rest)).joined(separator: "\n")
  }
}
