/// A reader's entry about a work.
public struct UserEntry: Hashable, Sendable {
  /// The entry's row in the library.
  public let id: Int64
  /// The row of the work.
  public let workID: Int64
  /// The data of the entry.
  public let details: UserEntryDetails
}

/// The data of a user entry, independent of a library.
public struct UserEntryDetails: Hashable, Sendable {
  /// The exclusive shelf.
  public var status: ReadingStatus
  /// 1 to 5 stars, 0 when not rated.
  public var rating: Int
  /// Further shelves, in the reader's order.
  public var shelves: [String]
  /// The time when the book was added, in seconds since 1970-01-01 UTC.
  public var addedSeconds: Int64

  /// Creates the data of an entry.
  public init(
    status: ReadingStatus, rating: Int = 0, shelves: [String] = [], addedSeconds: Int64 = 0
  ) {
    self.status = status
    self.rating = rating
    self.shelves = shelves
    self.addedSeconds = addedSeconds
  }
}
