public import PerfModel

/// What a report says, apart from its figures: one value that every renderer shows its own way.
public struct Document: Hashable, Sendable {
  /// A part of a document.
  public enum Block: Hashable, Sendable {
    /// The sentence that answers the question.
    case verdict(String, Tone)
    /// Short facts by name, as the run's id and its commit.
    case facts([Fact])
    case table(Table)
    case paragraph(String)
    /// What a reader must know, with remedies.
    case warnings([RunWarning])
  }

  /// A short fact.
  public struct Fact: Hashable, Sendable {
    /// What it is about, as `commit`.
    public let name: String
    /// What is known.
    public let value: String

    /// Creates a fact.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The title, as `scroll-1000:naive`.
  public let title: String
  /// The parts in order.
  public let blocks: [Block]

  /// Creates a document.
  ///
  /// - Parameters:
  ///   - title: The title.
  ///   - blocks: The parts; tables lose the columns that say nothing.
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

  /// What a reader must know, in order.
  public var warnings: [RunWarning] {
    blocks.flatMap { block in
      if case .warnings(let warnings) = block { return warnings }
      return []
    }
  }
}
