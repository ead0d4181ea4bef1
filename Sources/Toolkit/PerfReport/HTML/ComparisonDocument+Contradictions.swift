internal import PerfStatistics

extension ComparisonDocument {
  /// Returns a line for the verdict and one for each table of metrics if an HTML report does not show them.
  ///
  /// The report may show the rows of a table in several tables and in another order.
  public func contradictions(in report: String) -> [String] {
    // Readers see neither comments nor the data of scripts.
    let body = report.firstRange(of: "<script").map { report[..<$0.lowerBound] } ?? report[...]
    let report = String(body).replacing(/<!--.*?-->/.dotMatchesNewlines(), with: "")
    var lines: [String] = []
    if !report.contains(HTMLRenderer.verdict(headline, Tone(comparison.combined))) {
      lines.append("the report does not show: \(headline)")
    } else if report.ranges(of: "class=\"verdict").count > 1 {
      lines.append("the report shows another verdict in addition to: \(headline)")
    }
    for (table, ids) in [(metricTable, ["metrics", "key-metrics"]), (workTable, ["work\""])] {
      guard let table else { continue }
      let shown = Self.rows(ofTablesIn: report, ids: ids)
      let isShown = table.rows.allSatisfy { row in
        let cells = row.map(\.text).filter { !$0.isEmpty }.map(Markup.escape)
        let found = shown.filter { $0.first == cells.first }
        return !found.isEmpty && found.allSatisfy { $0 == cells }
      }
      if !isShown { lines.append("its table of \(table.id) shows other values") }
    }
    return lines
  }

  /// Returns the texts of the cells of each row, without empty ones, in the tables whose IDs begin so.
  private static func rows(ofTablesIn report: String, ids: [String]) -> [[String]] {
    report.split(separator: "<table id=\"")
      .dropFirst()
      .filter { table in ids.contains(where: table.hasPrefix) }
      .flatMap { table -> [[String]] in
        let end = table.firstRange(of: "</table>")?.lowerBound ?? table.endIndex
        return table[..<end].matches(of: /<tr><th.*?<\/tr>/.dotMatchesNewlines()).map { row in
          row.output.matches(of: /<t[hd][^>]*>([^<]*)</).map { String($0.output.1) }
            .filter { !$0.isEmpty }
        }
      }
  }
}
