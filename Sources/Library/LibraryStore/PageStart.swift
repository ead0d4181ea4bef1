internal import GRDB

/// Which works a page shows.
enum PageStart {
  /// Those behind a number of others.
  case offset(Int)
  /// Those behind a book.
  case after(BookRow)
  /// Those that match a query of the full-text index.
  case matching(String)

  /// The end of a statement that selects from `work`: condition, order and limit.
  ///
  /// The order is that of the index by title; the row number in it makes it a total one.
  var clauses: String {
    let order = "ORDER BY title, author, work.id LIMIT ?"
    return switch self {
    case .offset: "\(order) OFFSET ?"
    case .after: "WHERE (title, author, work.id) > (?, ?, ?) \(order)"
    case .matching:
      "WHERE work.id IN (SELECT rowid FROM workText WHERE workText MATCH ?) \(order)"
    }
  }

  /// The arguments of `clauses`.
  func arguments(limit: Int) -> StatementArguments {
    switch self {
    case .offset(let offset): [limit, offset]
    case .after(let row): [row.title, row.author, row.workID, limit]
    case .matching(let query): [query, limit]
    }
  }
}
