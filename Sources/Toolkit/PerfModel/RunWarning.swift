/// Something that a reader of a result must know, with what to do about it.
public struct RunWarning: Hashable, Sendable, Codable, CustomStringConvertible {
  /// A dotted name that scripts can rely on, as `sampler.rate_low`.
  public let code: String
  /// What is the matter, with its numbers.
  public let message: String
  /// What to do about it; may be empty.
  public let remedy: String

  /// Creates a warning.
  public init(code: String, message: String, remedy: String = "") {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// Returns the same about one of two sides, as `base: 12 samples were dropped`.
  public func about(_ side: String) -> RunWarning {
    RunWarning(code: code, message: "\(side): \(message)", remedy: remedy)
  }

  /// The message and the remedy.
  public var description: String {
    guard !remedy.isEmpty else { return message }
    return message.hasSuffix(".") ? "\(message) \(remedy)" : "\(message). \(remedy)"
  }
}
