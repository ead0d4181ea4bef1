import Foundation
import Testing

extension TestCommand.Result {
  /// Standard output as an object of JSON.
  func json() throws -> [String: Any] { try jsonObject(output, "\(errors)") }
}

/// Reads an object of JSON.
func jsonObject(_ text: String, _ comment: Comment? = nil) throws -> [String: Any] {
  try #require(
    JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], comment)
}
