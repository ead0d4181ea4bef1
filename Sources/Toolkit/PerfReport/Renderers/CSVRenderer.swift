/// Writes rows as comma-separated values (RFC 4180, lines ended by a newline alone).
public struct CSVRenderer: Sendable {
  /// Creates a renderer.
  public init() {}

  /// Returns a table as it is shown, headings first.
  public func render(_ table: Table) -> String {
    render(
      header: table.columns.map(\.title), rows: table.rows.map { row in row.map(\.text) })
  }

  /// Returns rows under a header.
  public func render(header: [String], rows: [[String]]) -> String {
    ([header] + rows).map { $0.map(quoted).joined(separator: ",") }.joined(separator: "\n") + "\n"
  }

  private func quoted(_ field: String) -> String {
    guard field.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return field }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }
}
