/// The confidence class of a book recognised from its spine.
public enum RecognitionConfidence: String, Hashable, Sendable, CaseIterable {
  /// At least 0.8: accepted as it is.
  case high
  /// 0.5 to 0.8: shown with a mark.
  case medium
  /// Below 0.5: confirmed by the reader.
  case low

  /// Returns the class of a probability in 0...1.
  public init(of value: Double) {
    self = value >= 0.8 ? .high : value >= 0.5 ? .medium : .low
  }
}
