internal import PerfModel

/// The renderer of rows as comma-separated values (RFC 4180, with newline as line ending).
///
/// Every field reads back unchanged. So a label that begins with `=`, `+` or `@` has no prefix,
/// although spreadsheets may interpret it as a formula: scripts would find another label than the
/// store contains.
public struct CSVRenderer: Sendable {
  /// The characters that require quotes.
  private static let signs = Set(",\"\n\r".utf8)

  /// Creates a renderer.
  public init() {}

  /// Returns a table with its headings.
  public func render(_ table: Table) -> String {
    render(
      header: table.columns.map(\.title), rows: table.rows.map { row in row.map(\.text) })
  }

  /// Returns rows with a header.
  public func render(header: [String], rows: [[String]]) -> String {
    ([header] + rows).map { $0.map(quoted).joined(separator: ",") }.joined(separator: "\n") + "\n"
  }

  private func quoted(_ field: String) -> String {
    guard field.utf8.contains(where: { Self.signs.contains($0) }) else { return field }
    return "\"" + field.escaping(["\"": "\"\""]) + "\""
  }
}
