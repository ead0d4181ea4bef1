/// What a list or a grid shows of one book.
public struct BookRow: Hashable, Sendable {
  /// The row of the work in the library.
  public let workID: Int64
  /// The title of the work.
  public let title: String
  /// Its author or authors.
  public let author: String
  /// How sure the recognition was, 0...1.
  public let confidence: Double
  /// The cover of its best edition; nil when the edition has none or there is no edition.
  public var cover: String?
  /// The shelf that the reader keeps it on; nil when there is no user entry.
  public let status: ReadingStatus?
  /// 1 to 5 stars, 0 when not rated.
  public let rating: Int

  /// The class of `confidence`.
  public var confidenceClass: RecognitionConfidence { RecognitionConfidence(of: confidence) }
}
