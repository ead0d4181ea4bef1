import Foundation
import PerfReport
import PerfTestSupport
import Testing

extension TestCommand.Result {
  /// Returns standard output as a JSON object.
  ///
  /// A document that names its format, such as `perfkit.run/1`, must match the schema of the format.
  func json() throws -> [String: Any] {
    if let value = JSONValue(parsing: output.utf8), let format = value["schema"]?.text {
      let kind = try #require(format.wholeMatch(of: /perfkit\.([a-z-]+)\/\d+/)?.1, "\(format)")
      try expect(value, matches: String(kind))
    }
    return try jsonObject(output, "\(errors)")
  }
}

/// Parses a JSON object; a text that is none is an issue with the comment.
func jsonObject(_ text: String, _ comment: Comment? = nil) throws -> [String: Any] {
  try #require(
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any], comment)
}

extension JSONValue {
  /// The text of a string; nil for other values.
  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The elements of an array; none for other values.
  var elements: [JSONValue] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }
}
