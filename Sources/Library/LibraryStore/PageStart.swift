internal import GRDB

/// The works that a page shows.
enum PageStart {
  /// The works after a number of others.
  case offset(Int)
  /// The works after a book.
  case after(BookRow)
  /// The works that match a query of the full-text index.
  case matching(String)

  /// The condition, order and limit of a statement that selects from `work`.
  ///
  /// The order is that of the index by title; the row number makes it total.
  var clauses: String {
    let order = "ORDER BY title, author, work.id LIMIT ?"
    return switch self {
    case .offset: "\(order) OFFSET ?"
    case .after: "WHERE (title, author, work.id) > (?, ?, ?) \(order)"
    case .matching:
      "WHERE work.id IN (SELECT rowid FROM workText WHERE workText MATCH ?) \(order)"
    }
  }

  /// Returns the arguments of `clauses`.
  func arguments(limit: Int) -> StatementArguments {
    switch self {
    case .offset(let offset): [limit, offset]
    case .after(let row): [row.title, row.author, row.workID, limit]
    case .matching(let query): [query, limit]
    }
  }
}
