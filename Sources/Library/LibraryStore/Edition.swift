/// One published edition of a work.
public struct Edition: Hashable, Sendable {
  /// Its row in the library.
  public let id: Int64
  /// The row of its work.
  public let workID: Int64
  /// What is known of it.
  public var details: EditionDetails
}

/// What is known of an edition before it is in a library.
public struct EditionDetails: Hashable, Sendable {
  /// Its number, when it has a valid one.
  public var isbn: ISBN13?
  /// Hardcover, paperback, ...
  public var format: BookFormat
  /// A year, or an ISO 8601 date that begins with one; empty when unknown.
  public var publicationDate: String
  /// Where its cover is found; nil or empty when it has none.
  public var cover: String?
  /// How complete the catalogue's data of it is, 0...100; nil when the catalogue does not say.
  public var dataQuality: Int?

  /// Creates the details of an edition.
  public init(
    isbn: ISBN13? = nil, format: BookFormat, publicationDate: String = "", cover: String? = nil,
    dataQuality: Int? = nil
  ) {
    self.isbn = isbn
    self.format = format
    self.publicationDate = publicationDate
    self.cover = cover
    self.dataQuality = dataQuality
  }

  /// Says which edition of a work is shown: the one with the highest score.
  ///
  /// A cover counts 10; hardcover 3, paperback 2, ebook 1; each year of publication since 2000
  /// counts 1; a data quality above 80 counts 5.
  public var qualityScore: Int {
    var score = 0
    if let cover, !cover.isEmpty { score += 10 }
    switch format {
    case .hardcover: score += 3
    case .paperback: score += 2
    case .ebook: score += 1
    case .audiobook, .other: break
    }
    if let year = Int(publicationDate.prefix(4)) { score += max(0, year - 2000) }
    if let dataQuality, dataQuality > 80 { score += 5 }
    return score
  }
}
