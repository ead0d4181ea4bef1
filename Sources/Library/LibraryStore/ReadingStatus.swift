/// The exclusive shelf of a book.
public enum ReadingStatus: String, Hashable, Sendable, CaseIterable {
  case toRead = "to-read"
  case reading = "currently-reading"
  case read
}
