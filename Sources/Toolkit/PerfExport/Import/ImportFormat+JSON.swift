internal import Foundation

extension ImportFormat {
  /// Reads the JSON of a file of the format.
  ///
  /// - Throws: `malformed` with the place of the first problem.
  func decode<Value: Decodable>(
    _ type: Value.Type, from content: [UInt8]
  ) throws(ImportError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(content))
    } catch let error as DecodingError {
      throw .malformed(self, reason: Self.reason(of: error))
    } catch {
      throw .malformed(self, reason: "it is no valid JSON")
    }
  }

  private static func reason(of error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      "'\(path(context.codingPath + [key]))' is missing"
    case .valueNotFound(_, let context), .typeMismatch(_, let context):
      "'\(path(context.codingPath))' has a value of the wrong type"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "it is no valid JSON" : "'\(path(context.codingPath))' has an impossible value"
    @unknown default: "it is no valid JSON"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.map { key in key.intValue.map(String.init) ?? key.stringValue }.joined(separator: ".")
  }
}
