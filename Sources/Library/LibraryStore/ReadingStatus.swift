/// The exclusive shelf of a book.
public enum ReadingStatus: String, Hashable, Sendable, CaseIterable {
  /// The reader wants to read the book.
  case toRead = "to-read"
  /// The reader is reading the book.
  case reading = "currently-reading"
  /// The reader has read the book.
  case read
}
