/// Something that did not stop the work but that the reader of its results should know.
public struct WorkloadWarning: Equatable, Sendable {
  /// A stable dotted code, as `cover.skipped`.
  public let code: String
  /// What happened, in one sentence.
  public let message: String
  /// What can be done about it.
  public let remedy: String

  /// Creates a warning.
  public init(code: String, message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }
}
