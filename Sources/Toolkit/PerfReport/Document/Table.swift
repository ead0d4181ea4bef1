public import PerfModel

/// A table whose rows are in groups.
public struct Table: Hashable, Sendable {
  /// A column.
  public struct Column: Hashable, Sendable {
    /// The side at which the texts of a column are aligned.
    public enum Alignment: Hashable, Sendable {
      case leading, trailing
    }

    let title: String
    /// The key in JSON.
    public let key: String
    let alignment: Alignment
    /// Whether texts may be shortened if there is too little room.
    let isFlexible: Bool
    /// Whether texts are source code, of which the beginning is shown if there is too little room.
    let isCode: Bool
    /// Whether the column may move to a second line of its row if there is too little room.
    let isDetail: Bool
    /// Whether the terminal leaves the column out if there is too little room.
    let isExtra: Bool
    /// Whether texts are sentences, which continue on the next line if there is too little room.
    ///
    /// Only the last column may have sentences.
    let isProse: Bool

    /// Creates a column; the default key is the heading, and numbers are trailing.
    public init(
      _ title: String, _ alignment: Alignment = .leading, key: String? = nil,
      isFlexible: Bool = false, isCode: Bool = false, isDetail: Bool = false, isExtra: Bool = false,
      isProse: Bool = false
    ) {
      self.title = title
      self.key = key ?? title
      self.alignment = alignment
      self.isFlexible = isFlexible || isCode
      self.isCode = isCode
      self.isDetail = isDetail
      self.isExtra = isExtra
      self.isProse = isProse
    }
  }

  /// A text with its tone.
  public struct Cell: Hashable, Sendable {
    /// The text.
    public let text: String
    let tone: Tone
    /// Values that graphical renderers draw as dots; nil for none.
    let strip: [Double]?
    /// The value in JSON; nil for the text.
    ///
    /// The members of an object are members of the row.
    let json: JSONValue?

    /// Creates a cell.
    public init(_ text: String, _ tone: Tone = .plain, json: JSONValue? = nil) {
      self.text = text
      self.tone = tone
      self.json = json
      strip = nil
    }

    /// Creates a cell of a time: without seconds in text, in ISO 8601 in JSON.
    public init(_ time: Timestamp) {
      self.init(time.short, json: .string(time.description))
    }

    /// Creates a cell of dots, which is empty in text renderers.
    init(strip: [Double]) {
      text = ""
      tone = .plain
      json = nil
      self.strip = strip
    }
  }

  /// Rows with an optional heading.
  public struct Group: Hashable, Sendable {
    /// The heading; nil for none.
    public let title: String?
    /// The rows, each with one cell per column.
    public let rows: [[Cell]]

    /// Creates a group.
    public init(title: String? = nil, rows: [[Cell]]) {
      self.title = title
      self.rows = rows
    }
  }

  /// A short ID without spaces, unique in its document.
  public let id: String
  let title: String
  /// The columns.
  public let columns: [Column]
  /// The rows in groups.
  public let groups: [Group]
  /// An explanation of the table; may be empty.
  public let caption: String

  /// Creates a table.
  ///
  /// - Precondition: Every row has one cell per column.
  public init(
    id: String, title: String, columns: [Column], groups: [Group], caption: String = ""
  ) {
    precondition(
      groups.allSatisfy { $0.rows.allSatisfy { $0.count == columns.count } },
      "a row of a table needs one cell per column")
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

  func titled(_ title: String) -> Table {
    Table(id: id, title: title, columns: columns, groups: groups, caption: caption)
  }

  /// The rows of all groups.
  public var rows: [[Cell]] { groups.flatMap(\.rows) }
}

extension Table {
  /// The rows as objects whose keys are the columns' keys.
  public var json: JSONValue {
    .array(
      groups.flatMap { group in
        group.rows.map { row in
          var members: [String: JSONValue] = [:]
          for (column, cell) in zip(columns, row) {
            if case .object(let own)? = cell.json {
              members.merge(own) { first, _ in first }
            } else {
              members[column.key] = members[column.key] ?? cell.json ?? .string(cell.text)
            }
          }
          if let title = group.title { members["group"] = .string(title) }
          return .object(members)
        }
      })
  }
}
