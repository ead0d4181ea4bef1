/// A location in a scenario file.
public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
  /// The path as given.
  public let file: String
  /// The line, from 1.
  public let line: Int
  /// The column, from 1, in Unicode scalars.
  public let column: Int

  /// `file:line:column`, which editors and terminals turn into a link.
  public var description: String { "\(file):\(line):\(column)" }
}
