internal import GRDB

extension Edition {
  /// The columns that `init(_:)` reads, in order.
  static let columns = "id, workID, isbn, format, publicationDate, cover, dataQuality"

  /// Reads a row of `columns`.
  init(_ row: Row) {
    let isbn: Int64? = row[2]
    let format: String = row[3]
    id = row[0]
    workID = row[1]
    details = EditionDetails(
      isbn: isbn.flatMap { ISBN13(number: $0) }, format: BookFormat(rawValue: format) ?? .other,
      publicationDate: row[4], cover: row[5], dataQuality: row[6])
  }

  /// Reads a row of `columns`.
  init(_ row: StatementRow) {
    id = row.integer(0)
    workID = row.integer(1)
    details = EditionDetails(
      isbn: row.optionalInteger(2).flatMap { ISBN13(number: $0) },
      format: BookFormat(rawValue: row.text(3)) ?? .other, publicationDate: row.text(4),
      cover: row.optionalText(5), dataQuality: row.optionalInteger(6).map { Int($0) })
  }
}

extension UserEntry {
  /// The columns that `init(_:)` reads, in order.
  static let columns = "id, workID, status, rating, shelves, addedSeconds"

  /// Reads a row of `columns`.
  init(_ row: Row) {
    let status: String = row[2]
    let shelves: String = row[4]
    id = row[0]
    workID = row[1]
    details = UserEntryDetails(
      status: ReadingStatus(rawValue: status), rating: row[3],
      shelves: shelves.split(separator: "\n").map(String.init), addedSeconds: row[5])
  }

  /// Reads a row of `columns`.
  init(_ row: StatementRow) {
    id = row.integer(0)
    workID = row.integer(1)
    details = UserEntryDetails(
      status: ReadingStatus(rawValue: row.text(2)), rating: Int(row.integer(3)),
      shelves: row.text(4).split(separator: "\n").map(String.init), addedSeconds: row.integer(5))
  }
}

/// A row of the table of works.
struct WorkRow {
  static let columns = "id, title, author, confidence"

  let id: Int64
  let title: String
  let author: String
  let confidence: Double

  /// Reads a row of `columns`.
  init(_ row: Row) {
    id = row[0]
    title = row[1]
    author = row[2]
    confidence = row[3]
  }
}
