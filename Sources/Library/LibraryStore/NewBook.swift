/// A work with its editions and the reader's notes, as it comes into a library.
public struct NewBook: Hashable, Sendable {
  /// The title of the work.
  public var title: String
  /// Its author or authors, as they are displayed.
  public var author: String
  /// How sure the recognition was, 0...1.
  public var confidence: Double
  /// Its editions, perhaps none; the first one is the copy that was scanned or imported.
  public var editions: [EditionDetails]
  /// The reader's notes, if there are any.
  public var userEntry: UserEntryDetails?

  /// Creates a book.
  public init(
    title: String, author: String, confidence: Double = 1, editions: [EditionDetails],
    userEntry: UserEntryDetails? = nil
  ) {
    self.title = title
    self.author = author
    self.confidence = confidence
    self.editions = editions
    self.userEntry = userEntry
  }
}
