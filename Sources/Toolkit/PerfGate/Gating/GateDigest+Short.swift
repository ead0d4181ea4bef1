internal import PerfModel
internal import PerfReport

/// The results of a gate in one screen or less.
extension GateDigest {
  /// Returns a short document: the verdict, the findings and the worst results.
  ///
  /// - Parameters:
  ///   - isBrief: Whether the document has no table.
  ///   - warnings: The warnings at its end.
  /// - Returns: The document.
  func document(isBrief: Bool, _ warnings: [RunWarning] = []) -> Document {
    var room = isBrief ? 8 : 6
    var sentences: [String] = []
    let failures = findings.count { $0.level == .failure }
    for (index, finding) in findings.enumerated() {
      // The lines after the first one are the end of a log.
      let message = finding.message.prefix { $0 != "\n" }
      // The failures come first, and a long one leaves half of the lines to the others.
      let lines = max(room - min(max(failures - index - 1, 0), room / 2), 1)
      let text = Self.begun("\(finding.level): \(finding.subject): \(message)", lines * Self.line)
      let isNeeded = index < max(failures, 1)
      guard isNeeded ? room > 0 : text.count <= (room - 1) * Self.line else { break }
      sentences.append(text)
      room -= (text.count + Self.line - 1) / Self.line
    }
    let left = findings.count - sentences.count
    if left > 0 {
      sentences.append("and \(Wording.count(left, "more finding")): a gate with --all prints them")
    }
    return Document(
      title: "gate",
      blocks: [.verdict(sentence, status.tone)]
        + ([note.map { Self.begun($0, 2 * Self.line) }].compactMap(\.self) + sentences)
        .map(Document.Block.paragraph)
        + (isBrief ? [] : [.table(shortTable(besides: findings.map(\.message)))])
        + [.warnings(warnings)])
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
    let sorted = lines.filter { $0.status != .done } + lines.filter { $0.status == .done }
    let limit = sorted.count > 5 ? 4 : 5
    let words = Dictionary(grouping: sorted.dropFirst(limit), by: \.word)
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
      rows: sorted.prefix(limit).map { line in
        let isShown = messages.contains { $0.contains(line.note) }
        return [
          .init(line.word, line.status.tone), .init(line.subject), .init(line.run ?? "-"),
          .init(isShown ? "" : Self.begun(line.note, (sorted.count <= 2 ? 3 : 1) * Self.line - 8)),
        ]
      } + (words.isEmpty ? [] : [rest]))
  }
}
