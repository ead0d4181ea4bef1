import Foundation
import Testing

extension TestCommand.Result {
  /// Returns standard output as a JSON object.
  func json() throws -> [String: Any] { try jsonObject(output, "\(errors)") }
}

/// Parses a JSON object.
func jsonObject(_ text: String, _ comment: Comment? = nil) throws -> [String: Any] {
  try #require(
    JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], comment)
}
