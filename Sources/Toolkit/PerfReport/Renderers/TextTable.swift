/// Lays a table out in columns of characters.
struct TextTable {
  let table: Table
  let width: Int
  /// Adds colour: text, tone, whether it is bold.
  let paint: (String, Tone, Bool) -> String

  private static let gap = "  "

  /// The heading, the column titles, the rows and the caption.
  var lines: [String] {
    guard !table.groups.isEmpty else { return [] }
    let layout = Layout(table: table, width: width)
    var lines: [String] = []
    if !table.title.isEmpty { lines.append(paint(table.title, .strong, true)) }
    let titles = table.columns.map { Table.Cell($0.title, .muted) }
    if titles.contains(where: { !$0.text.isEmpty }) {
      lines += row(titles, layout: layout, isHeading: true)
    }
    for group in table.groups {
      if let title = group.title { lines.append("  " + paint(title, .muted, false)) }
      for cells in group.rows { lines += row(cells, layout: layout, isHeading: false) }
    }
    if !table.caption.isEmpty {
      lines += TextWrapping.lines(of: table.caption, width: width - 2)
        .map { "  " + paint($0, .muted, false) }
    }
    return lines
  }

  private func row(_ cells: [Table.Cell], layout: Layout, isHeading: Bool) -> [String] {
    var lines: [String] = []
    for (number, columns) in layout.linesOfColumns.enumerated() {
      let isSecond = number > 0
      // The titles of details stand before their values, line by line.
      if isSecond && isHeading { continue }
      let shown = columns.filter { !isSecond || !cells[$0].text.isEmpty }
      guard !shown.isEmpty else { continue }
      let texts = shown.map { index -> String in
        let cell = cells[index]
        let isLast = index == columns.last
        if isSecond { return painted("\(layout.titles[index]) \(cell.text)", cell.tone) }
        let text = TextWrapping.shortened(cell.text.withoutControls, to: layout.widths[index])
        return aligned(
          text, cell.tone, width: layout.widths[index],
          alignment: table.columns[index].alignment, isLast: isLast)
      }
      lines.append((isSecond ? "      " : "  ") + texts.joined(separator: Self.gap))
    }
    return lines
  }

  private func painted(_ text: String, _ tone: Tone) -> String {
    paint(text.withoutControls, tone == .plain ? .muted : tone, false)
  }

  private func aligned(
    _ text: String, _ tone: Tone, width: Int, alignment: Table.Column.Alignment, isLast: Bool
  ) -> String {
    // Padding stays outside of the colour, and nothing is padded at the end of a line.
    let spaces = String(repeating: " ", count: max(0, width - text.count))
    let painted = paint(text, tone, false)
    switch alignment {
    case .leading: return isLast ? painted : painted + spaces
    case .trailing: return spaces + painted
    }
  }

  /// The widths of columns, and which of them share a line.
  private struct Layout {
    var widths: [Int]
    var linesOfColumns: [[Int]]
    let titles: [String]

    init(table: Table, width: Int) {
      titles = table.columns.map(\.title)
      widths = table.columns.indices.map { index in
        table.rows.map { $0[index].text.count }.reduce(table.columns[index].title.count, max)
      }
      let all = Array(table.columns.indices)
      linesOfColumns = [all]
      let details = all.filter { table.columns[$0].isDetail }
      if needed(all) > width, !details.isEmpty {
        linesOfColumns = [all.filter { !table.columns[$0].isDetail }, details]
      }
      let excess = needed(linesOfColumns[0]) - width
      if excess > 0, let flexible = linesOfColumns[0].first(where: { table.columns[$0].isFlexible })
      {
        widths[flexible] = max(16, widths[flexible] - excess)
      }
    }

    private func needed(_ columns: [Int]) -> Int {
      2 + columns.reduce(0) { $0 + widths[$1] } + TextTable.gap.count * max(columns.count - 1, 0)
    }
  }
}
