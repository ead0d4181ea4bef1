/// A work with its editions and user entry, for insertion into a library.
public struct NewBook: Hashable, Sendable {
  /// The title of the work.
  public var title: String
  /// The displayed author or authors.
  public var author: String
  /// The confidence of the recognition, 0...1.
  public var confidence: Double
  /// The editions, possibly none; the first one is the scanned or imported copy.
  public var editions: [EditionDetails]
  /// The reader's entry, if there is one.
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
