/// How sure the recognition of a book from its spine was.
public enum RecognitionConfidence: String, Hashable, Sendable, CaseIterable {
  /// At least 0.8: taken as it is.
  case high
  /// 0.5 to 0.8: shown with a mark.
  case medium
  /// Below 0.5: the reader is asked.
  case low

  /// Returns the class of a confidence.
  ///
  /// - Parameter value: A probability in 0...1.
  public init(of value: Double) {
    self = value >= 0.8 ? .high : value >= 0.5 ? .medium : .low
  }
}
