public import PerfModel

/// The content of a report without figures; every renderer displays it in its own way.
public struct Document: Hashable, Sendable {
  /// A part of a document.
  public enum Block: Hashable, Sendable {
    /// The sentence with the result.
    case verdict(String, Tone)
    /// Short named facts, such as the run's ID and its commit.
    case facts([Fact])
    case table(Table)
    case paragraph(String)
    case warnings([RunWarning])

    var isTable: Bool { if case .table = self { true } else { false } }

    /// Returns a block for each table that exists.
    static func each(_ tables: [Table?]) -> [Block] {
      tables.compactMap(\.self).map(Block.table)
    }

    /// Returns the warnings, and the path of the HTML report if there is one.
    static func end(_ warnings: [RunWarning], _ reportPath: String?) -> [Block] {
      [.warnings(warnings)] + (reportPath.map { [.paragraph("Report: \($0)")] } ?? [])
    }
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

  /// Creates a document; empty columns of tables are removed.
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
    blocks.flatMap { block -> [RunWarning] in
      if case .warnings(let warnings) = block { warnings } else { [] }
    }
  }
}
