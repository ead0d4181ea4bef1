/// The layout of a table in columns of characters.
struct TextTable {
  let table: Table
  let width: Int
  /// Adds colour to a text with a tone; the last argument is whether it is bold.
  let paint: (String, Tone, Bool) -> String

  private static let gap = "  "

  /// The lines of the table: heading, column titles, rows and caption.
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
    let texts = layout.main.map { index in
      let cell = cells[index]
      let text = cell.text.withoutControls
      let fitting =
        table.columns[index].isProse
        ? TextWrapping.lines(of: text, width: layout.widths[index])[0]
        : TextWrapping.shortened(text, to: layout.widths[index])
      return aligned(
        fitting, cell.tone, width: layout.widths[index],
        alignment: table.columns[index].alignment, isLast: index == layout.main.last)
    }
    let first = "  " + texts.joined(separator: Self.gap)
    // Details have their titles in each row.
    return [first] + proseLines(cells, layout) + (isHeading ? [] : detailLines(cells, layout))
  }

  /// Returns the continuation lines of a sentence in the last column.
  private func proseLines(_ cells: [Table.Cell], _ layout: Layout) -> [String] {
    guard let last = layout.main.last, table.columns[last].isProse else { return [] }
    let before = layout.main.dropLast().reduce(2) { $0 + layout.widths[$1] + Self.gap.count }
    let indent = String(repeating: " ", count: before)
    return TextWrapping.lines(of: cells[last].text, width: layout.widths[last]).dropFirst()
      .map { indent + paint($0, cells[last].tone, false) }
  }

  /// Returns the details with their titles, as many per line as fit.
  private func detailLines(_ cells: [Table.Cell], _ layout: Layout) -> [String] {
    var lines: [(text: String, length: Int)] = []
    for index in layout.details where !cells[index].text.isEmpty {
      let cell = cells[index]
      let tone = cell.tone == .plain ? .muted : cell.tone
      let words = "\(table.columns[index].title) \(cell.text)"
      for text in TextWrapping.lines(of: words, width: width - Self.detailIndent.count) {
        let painted = paint(text, tone, false)
        if let last = lines.last, last.length + Self.gap.count + text.count <= width {
          lines[lines.count - 1] = (
            last.text + Self.gap + painted, last.length + Self.gap.count + text.count
          )
        } else {
          lines.append((Self.detailIndent + painted, Self.detailIndent.count + text.count))
        }
      }
    }
    return lines.map(\.text)
  }

  private static let detailIndent = "      "

  private func aligned(
    _ text: String, _ tone: Tone, width: Int, alignment: Table.Column.Alignment, isLast: Bool
  ) -> String {
    // Padding is outside of the colour, and there are no spaces at the end of a line.
    let spaces = String(repeating: " ", count: max(0, width - text.count))
    let painted = paint(text, tone, false)
    switch alignment {
    case .leading: return isLast ? painted : painted + spaces
    case .trailing: return spaces + painted
    }
  }

  /// The widths of the columns, and the columns on the first line of a row.
  private struct Layout {
    var widths: [Int]
    var main: [Int]
    var details: [Int] = []

    init(table: Table, width: Int) {
      widths = table.columns.indices.map { index in
        table.rows.map { $0[index].text.count }.reduce(table.columns[index].title.count, max)
      }
      main = Array(table.columns.indices)
      if needed > width {
        details = main.filter { table.columns[$0].isDetail }
        main = main.filter { !table.columns[$0].isDetail }
      }
      for index in main where table.columns[index].isFlexible || table.columns[index].isProse {
        widths[index] = max(min(16, widths[index]), widths[index] - max(needed - width, 0))
      }
    }

    /// The width of the first line with gaps.
    private var needed: Int {
      2 + main.reduce(0) { $0 + widths[$1] } + TextTable.gap.count * max(main.count - 1, 0)
    }
  }
}
