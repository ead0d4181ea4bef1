internal import PerfModel
public import PerfReport

/// The report of a gate in one screen or less.
extension GateReport {
  /// Returns the report as a document, at most as long as requested.
  ///
  /// The short report has the verdict, the findings and the worst results.
  public func document(_ detail: Detail) -> Document {
    guard detail != .all else { return document }
    let isBrief = detail == .brief
    var room = (isBrief ? 8 : 6) * Self.line
    var sentences: [String] = []
    let all = findings
    for finding in all {
      // The lines after the first one are the end of a log.
      let message = finding.message.prefix { $0 != "\n" }
      let text = "\(finding.level): \(finding.subject): \(message)"
      guard sentences.isEmpty || text.count <= room - Self.line else { break }
      sentences.append(Self.begun(text, room))
      room -= (text.count / Self.line + 1) * Self.line
    }
    let left = all.count - sentences.count
    if left > 0 { sentences.append("and \(Wording.count(left, "more finding"))") }
    return Document(
      title: "gate",
      blocks: [.verdict(sentence, tone(status))]
        + ([note.map { Self.begun($0, 2 * Self.line) }].compactMap(\.self) + sentences)
        .map(Document.Block.paragraph)
        + (isBrief ? [] : [.table(shortTable(besides: all.map(\.message)))])
        + [.warnings(document.warnings)])
  }

  /// The characters that surely fit into a line of a terminal.
  private static let line = 70

  private static func begun(_ text: String, _ limit: Int) -> String {
    text.count > limit ? text.prefix(max(limit, line) - 1) + "…" : text
  }

  /// Returns the results in at most five rows, those that did not pass first.
  ///
  /// - Parameter messages: The texts that need no note.
  /// - Returns: The table.
  private func shortTable(besides messages: [String]) -> Table {
    let sorted = results.filter { $0.status != .done } + results.filter { $0.status == .done }
    let limit = sorted.count > 5 ? 4 : 5
    let words = Dictionary(grouping: sorted.dropFirst(limit)) { word($0) }
      .sorted { $0.key < $1.key }.map { "\($0.value.count) \($0.key)" }
    let rest: [Table.Cell] = [
      .init(""), .init("and \(Wording.list(words))", .muted), .init(""), .init(""),
    ]
    return Table(
      id: "gate", title: "",
      columns: [
        .init("result"), .init("scenario", isFlexible: true), .init("run"),
        .init("note", isDetail: true),
      ],
      rows: sorted.prefix(limit).map { result in
        let isShown = messages.contains { $0.contains(result.note) }
        return [
          .init(word(result), tone(result.status)), .init(result.subject),
          .init(result.summary?.run.id ?? "-"),
          .init(isShown ? "" : Self.begun(result.note, Self.line - 8)),
        ]
      } + (words.isEmpty ? [] : [rest]))
  }
}
