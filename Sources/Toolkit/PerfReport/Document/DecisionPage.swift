internal import Foundation
public import PerfModel

/// A decision as a Markdown page of a decision log.
///
/// The page contains the decision as data, so that a checkout without the store knows accepted
/// decisions.
public struct DecisionPage: Sendable {
  /// The default folder of pages, relative to the root of a checkout.
  public static let folder = "Reports/decisions"

  private static let mark = "<!-- perfkit-decision "
  private static let end = " -->"

  private let decision: Decision

  /// Creates the page of a decision.
  public init(_ decision: Decision) {
    self.decision = decision
  }

  /// The file name, such as `0003-palette-extract-kept.md`.
  public var name: String {
    NumberFormat.padded(decision.number, to: 4)
      + "-\(decision.scenario)-\(decision.outcome.rawValue).md"
  }

  /// Returns the number of a decision page by its file name; nil for other files.
  public static func number(ofFile name: String) -> Int? {
    let digits = name.prefix { $0.isASCII && $0.isNumber }
    // The store has no numbers with more than six digits.
    guard (4...6).contains(digits.count), name.dropFirst(digits.count).hasPrefix("-"),
      name.hasSuffix(".md")
    else { return nil }
    return Int(digits)
  }

  /// The text of the page.
  public var text: String {
    let date = Timestamp(milliseconds: decision.decided).short
    var parts = [
      "# \(decision.number). \(decision.scenario): \(title)", Self.mark + data + Self.end,
      "\(date) UTC. \(outcome)",
    ]
    if !decision.hypothesis.isEmpty {
      parts.append("## Hypothesis\n\n\(Self.prose(decision.hypothesis))")
    }
    if !decision.change.isEmpty { parts.append("## Change\n\n\(Self.prose(decision.change))") }
    guard !decision.isOfRules else {
      parts += [
        "## Rules\n\n\(Self.prose(decision.sentence))",
        "## Reason\n\n\(Self.prose(decision.because))",
      ]
      return parts.joined(separator: "\n\n") + "\n"
    }
    parts += [
      "## Measurement\n\n\(Self.prose(decision.sentence))\n\n\(table)",
      """
      | | commit | variant | run |
      |---|---|---|---|
      | before | \(decision.base.commit ?? "none") | \(decision.base.variant) | \(decision.base.run) |
      | after | \(decision.candidate.commit ?? "none") | \(decision.candidate.variant) | \(decision.candidate.run) |

      `perfkit compare \(decision.comparison)` shows the comparison again.
      """,
      "## Reason\n\n\(Self.prose(decision.because))",
    ]
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// Returns the decision of a page; nil if the page contains none, or an invalid one.
  public static func decision(of page: String) -> Decision? {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: true)
    guard let line = lines.first(where: { $0.hasPrefix(mark) && $0.hasSuffix(end) }) else {
      return nil
    }
    let data = Data(line.dropFirst(mark.count).dropLast(end.count).utf8)
    return try? JSONDecoder().decode(Decision.self, from: data)
  }

  /// The decision as one line of JSON without `>` and control characters, which only occur in texts.
  ///
  /// A `>` could end the comment, and a terminal obeys control characters.
  private var data: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = (try? encoder.encode(decision)) ?? Data()
    var text = ""
    for scalar in String(decoding: data, as: UTF8.self).unicodeScalars {
      // The encoder escapes the control characters below U+0020.
      if scalar == ">" || scalar.isControl {
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private var title: String {
    decision.change.split(separator: "\n").first.map { Self.prose(String($0)) }
      ?? decision.outcome.rawValue
  }

  /// Returns a text of one or more lines without HTML and control characters.
  private static func prose(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).withoutControls.escaping(["<": "&lt;"]) }.joined(separator: "\n")
  }

  private var outcome: String {
    switch decision.outcome {
    case .kept: "**Kept.**"
    case .reverted: "**Reverted.**"
    case .noEffect: "**Kept without a measured effect.**"
    }
  }

  private var table: String {
    let rows = decision.findings.map { finding -> [Table.Cell] in
      let metric = finding.comparison
      let cells = ComparisonDocument.cells(of: metric)
      return cells.dropLast() + [.init(Wording.changeInterval(metric))] + cells.suffix(1)
    }
    let table = Table(
      id: "findings", title: "",
      columns: [
        .init("metric"), .init("before", .trailing), .init("after", .trailing),
        .init("change", .trailing), .init("interval", .trailing), .init("verdict"),
      ], rows: rows)
    return MarkdownRenderer().render(table)
  }
}
