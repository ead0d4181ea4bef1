/// What a reader has noted about a work.
public struct UserEntry: Hashable, Sendable {
  /// Its row in the library.
  public let id: Int64
  /// The row of its work.
  public let workID: Int64
  /// What was noted.
  public let details: UserEntryDetails
}

/// A reader's notes before they are in a library.
public struct UserEntryDetails: Hashable, Sendable {
  /// The exclusive shelf.
  public var status: ReadingStatus
  /// 1 to 5 stars, 0 when not rated.
  public var rating: Int
  /// Further shelves, in the reader's order.
  public var shelves: [String]
  /// When the book came into the library, in seconds since 1970-01-01 UTC.
  public var addedSeconds: Int64

  /// Creates notes.
  public init(
    status: ReadingStatus, rating: Int = 0, shelves: [String] = [], addedSeconds: Int64 = 0
  ) {
    self.status = status
    self.rating = rating
    self.shelves = shelves
    self.addedSeconds = addedSeconds
  }
}
