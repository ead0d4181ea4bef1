/// One published edition of a work.
public struct Edition: Hashable, Sendable {
  /// The edition's row in the library.
  public let id: Int64
  /// The row of the work.
  public let workID: Int64
  /// The data of the edition.
  public var details: EditionDetails
}

/// The data of an edition, independent of a library.
public struct EditionDetails: Hashable, Sendable {
  /// The ISBN, if the edition has a valid one.
  public var isbn: ISBN13?
  /// The format of the edition.
  public var format: BookFormat
  /// A year, or an ISO 8601 date that begins with one; empty when unknown.
  public var publicationDate: String
  /// The location of the cover; nil or empty without one.
  public var cover: String?
  /// The completeness of the catalogue's data, 0...100; nil when unknown.
  public var dataQuality: Int?

  /// Creates the data of an edition.
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

  /// The score that selects the displayed edition of a work: the highest one wins.
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
