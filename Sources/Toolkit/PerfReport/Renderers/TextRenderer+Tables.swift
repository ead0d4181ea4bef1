internal import PerfModel

/// The layout of a table in columns of characters.
extension TextRenderer {
  private static let gap = "  "

  func lines(of table: Table) -> [String] {
    guard !table.groups.isEmpty else { return [] }
    let layout = Layout(table: table, width: width)
    var lines: [String] = []
    if !table.title.isEmpty {
      lines += wrap(table.title).map { paint($0, .strong, bold: true) }
    }
    let titles = table.columns.map { Table.Cell($0.title, .muted) }
    if titles.contains(where: { !$0.text.isEmpty }) { lines += mainLines(titles, layout) }
    for group in table.groups {
      if let title = group.title {
        lines += wrap(title, width: width - 2).map { "  " + paint($0, .muted) }
      }
      for cells in group.rows {
        // Details have their titles in each row.
        lines += mainLines(cells, layout) + detailLines(cells, layout)
      }
    }
    if !table.caption.isEmpty {
      lines += wrap(table.caption, width: width - 2).map { "  " + paint($0, .muted) }
    }
    return lines
  }

  /// Returns the first line of a row, and the continuation lines of a sentence in the last column.
  private func mainLines(_ cells: [Table.Cell], _ layout: Layout) -> [String] {
    let texts = layout.main.map { index in
      let (column, width) = (layout.columns[index], layout.widths[index])
      let text = cells[index].text.withoutControls
      let fitting =
        if column.isProse {
          wrap(text, width: width)[0]
        } else if column.isCode {
          TextWrapping.begun(text, to: width)
        } else {
          TextWrapping.shortened(text, to: width)
        }
      // Padding is outside of the colour, and there are no spaces at the end of a line.
      let spaces = String(repeating: " ", count: max(0, width - fitting.count))
      let painted = paint(fitting, cells[index].tone)
      if column.alignment == .trailing { return spaces + painted }
      return index == layout.main.last ? painted : painted + spaces
    }
    let first = "  " + texts.joined(separator: Self.gap)
    guard let last = layout.main.last, layout.columns[last].isProse else { return [first] }
    let before = layout.main.dropLast().reduce(2) { $0 + layout.widths[$1] + Self.gap.count }
    let indent = String(repeating: " ", count: before)
    return [first]
      + wrap(cells[last].text, width: layout.widths[last]).dropFirst()
      .map { indent + paint($0, cells[last].tone) }
  }

  /// Returns the details with their titles, as many per line as fit.
  private func detailLines(_ cells: [Table.Cell], _ layout: Layout) -> [String] {
    let indent = "      "
    var lines: [(text: String, length: Int)] = []
    for index in layout.details where !cells[index].text.isEmpty {
      let cell = cells[index]
      let words = "\(layout.columns[index].title) \(cell.text)"
      for text in wrap(words, width: width - indent.count) {
        let painted = paint(text, cell.tone == .plain ? .muted : cell.tone)
        if let last = lines.last, last.length + Self.gap.count + text.count <= width {
          lines[lines.count - 1] = (
            last.text + Self.gap + painted, last.length + Self.gap.count + text.count
          )
        } else {
          lines.append((indent + painted, indent.count + text.count))
        }
      }
    }
    return lines.map(\.text)
  }

  private struct Layout {
    let columns: [Table.Column]
    var widths: [Int]
    /// The columns on the first line of a row.
    var main: [Int]
    var details: [Int] = []
    /// The least width to which a flexible column is shortened.
    private static let leastWidth = 16

    init(table: Table, width: Int) {
      columns = table.columns
      let natural = columns.indices.map { index in
        table.rows.map { $0[index].text.count }.reduce(table.columns[index].title.count, max)
      }
      widths = natural
      main = Array(columns.indices)
      if needed > width { main = main.filter { !table.columns[$0].isExtra } }
      if needed > width {
        details = main.filter { table.columns[$0].isDetail }
        main = main.filter { !table.columns[$0].isDetail }
      }
      shrink(to: width)
      // The last columns of a row that is still too long move to its second line.
      while needed > width, main.count > 1 {
        details.append(main.removeLast())
        widths = natural
        shrink(to: width)
      }
      details.sort()
      if needed > width, let first = main.first { widths[first] = width - 2 }
    }

    /// Shortens the flexible columns, the widest first, until the first line of a row fits.
    private mutating func shrink(to width: Int) {
      let flexible = main.filter { columns[$0].isFlexible || columns[$0].isProse }
      while needed > width, let widest = flexible.max(by: { widths[$0] < widths[$1] }),
        widths[widest] > Self.leastWidth
      {
        widths[widest] -= 1
      }
    }

    /// The width of the first line with gaps.
    private var needed: Int {
      2 + main.reduce(0) { $0 + widths[$1] } + TextRenderer.gap.count * max(main.count - 1, 0)
    }
  }
}
