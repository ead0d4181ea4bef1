public import PerfModel

/// The content of a report without figures; every renderer displays it in its own way.
public struct Document: Hashable, Sendable {
  /// A part of a document.
  public enum Block: Hashable, Sendable {
    /// The sentence with the result.
    case verdict(String, Tone)
    /// Short named facts, such as the run's ID and its commit.
    case facts([Fact])
    /// A table.
    case table(Table)
    /// A paragraph of text.
    case paragraph(String)
    /// Warnings with remedies.
    case warnings([RunWarning])
  }

  /// A short fact.
  public struct Fact: Hashable, Sendable {
    /// The name, such as `commit`.
    public let name: String
    /// The value.
    public let value: String

    /// Creates a fact.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The title, such as `scroll-1000:naive`.
  public let title: String
  /// The parts in order.
  public let blocks: [Block]

  /// Creates a document.
  ///
  /// - Parameters:
  ///   - title: The title.
  ///   - blocks: The parts; empty columns of tables are removed.
  public init(title: String, blocks: [Block]) {
    self.title = title
    self.blocks = blocks.map { block in
      if case .table(let table) = block { .table(table.withoutEmptyColumns) } else { block }
    }
  }

  /// The tables in order.
  public var tables: [Table] {
    blocks.compactMap { if case .table(let table) = $0 { table } else { nil } }
  }

  /// The warnings in order.
  public var warnings: [RunWarning] {
    blocks.flatMap { block in
      if case .warnings(let warnings) = block { return warnings }
      return []
    }
  }
}
