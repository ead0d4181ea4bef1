/// The data of one book in a list or grid.
public struct BookRow: Hashable, Sendable {
  /// The row of the work in the library.
  public let workID: Int64
  /// The title of the work.
  public let title: String
  /// The author or authors.
  public let author: String
  /// The confidence of the recognition, 0...1.
  public let confidence: Double
  /// The cover of the best edition; nil when there is no edition or it has no cover.
  public var cover: String?
  /// The reader's shelf; nil when there is no user entry.
  public let status: ReadingStatus?
  /// 1 to 5 stars, 0 when not rated.
  public let rating: Int

  /// The class of the confidence.
  public var confidenceClass: RecognitionConfidence { RecognitionConfidence(of: confidence) }
}
