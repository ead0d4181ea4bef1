internal import PerfModel

/// Writes rows as comma-separated values (RFC 4180, lines ended by a newline alone).
///
/// Every field reads back as the name, text or number that it is. So nothing is put before a label
/// that begins with `=`, `+` or `@`, though spreadsheets that are not told to import text take such a
/// one for a formula: scripts would find another label than the store has.
public struct CSVRenderer: Sendable {
  /// What a field must be quoted for.
  private static let signs = Set(",\"\n\r".utf8)

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
    guard field.utf8.contains(where: { Self.signs.contains($0) }) else { return field }
    return "\"" + field.escaping(["\"": "\"\""]) + "\""
  }
}
