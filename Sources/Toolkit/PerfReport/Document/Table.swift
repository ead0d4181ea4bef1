/// Rows and columns, the rows in groups.
public struct Table: Hashable, Sendable {
  /// How a column is shown.
  public struct Column: Hashable, Sendable {
    /// On which side its texts are aligned.
    public enum Alignment: Hashable, Sendable {
      case leading
      case trailing
    }

    /// Its heading.
    public let title: String
    /// Its name for scripts.
    public let key: String
    /// The side; numbers are trailing.
    public let alignment: Alignment
    /// Whether its texts may be cut where there is too little room.
    public let isFlexible: Bool
    /// Whether it may move to a second line of its row where there is too little room.
    public let isDetail: Bool

    /// Whether its texts are sentences, which go on in the next line where there is too little room;
    /// only of the last column.
    public let isProse: Bool

    /// Creates a column, which scripts know by its heading unless it is given a `key`.
    public init(
      _ title: String, _ alignment: Alignment = .leading, key: String? = nil,
      isFlexible: Bool = false, isDetail: Bool = false, isProse: Bool = false
    ) {
      self.title = title
      self.key = key ?? title
      self.alignment = alignment
      self.isFlexible = isFlexible
      self.isDetail = isDetail
      self.isProse = isProse
    }
  }

  /// A text with its meaning.
  public struct Cell: Hashable, Sendable {
    /// What it says.
    public let text: String
    /// What it means.
    public let tone: Tone
    /// Values that renderers with pictures show as dots beside the text; nil for none.
    let strip: [Double]?

    /// Creates a cell.
    public init(_ text: String, _ tone: Tone = .plain) {
      self.text = text
      self.tone = tone
      strip = nil
    }

    /// Creates a cell of dots, which says nothing where there are no pictures.
    init(strip: [Double]) {
      text = ""
      tone = .plain
      self.strip = strip
    }
  }

  /// Rows under a heading of their own.
  public struct Group: Hashable, Sendable {
    /// The heading, or nil.
    public let title: String?
    /// The rows, each with one cell a column.
    public let rows: [[Cell]]

    /// Creates a group.
    public init(title: String? = nil, rows: [[Cell]]) {
      self.title = title
      self.rows = rows
    }
  }

  /// A short name without spaces, unique in its document.
  public let id: String
  /// The heading.
  public let title: String
  /// The columns.
  public let columns: [Column]
  /// The rows in groups.
  public let groups: [Group]
  /// What a reader must know to read it; may be empty.
  public let caption: String

  /// Creates a table.
  ///
  /// - Precondition: Every row has as many cells as there are columns.
  public init(
    id: String, title: String, columns: [Column], groups: [Group], caption: String = ""
  ) {
    precondition(
      groups.allSatisfy { $0.rows.allSatisfy { $0.count == columns.count } },
      "a row of a table needs one cell for each column")
    self.id = id
    self.title = title
    self.columns = columns
    self.groups = groups.filter { !$0.rows.isEmpty }
    self.caption = caption
  }

  /// Creates a table of one group.
  public init(
    id: String, title: String, columns: [Column], rows: [[Cell]], caption: String = ""
  ) {
    self.init(
      id: id, title: title, columns: columns, groups: [Group(rows: rows)], caption: caption)
  }

  /// The table without columns in which no row says anything.
  var withoutEmptyColumns: Table {
    let kept = columns.indices.filter { index in
      rows.contains { !$0[index].text.isEmpty || $0[index].strip != nil }
    }
    guard kept.count < columns.count else { return self }
    return Table(
      id: id, title: title, columns: kept.map { columns[$0] },
      groups: groups.map { group in
        Group(title: group.title, rows: group.rows.map { row in kept.map { row[$0] } })
      }, caption: caption)
  }

  /// Returns the table under another heading.
  func titled(_ title: String) -> Table {
    Table(id: id, title: title, columns: columns, groups: groups, caption: caption)
  }

  /// All rows in order.
  public var rows: [[Cell]] { groups.flatMap(\.rows) }
}
