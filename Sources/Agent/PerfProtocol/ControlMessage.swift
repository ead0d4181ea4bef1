internal import FoundationEssentials

/// A message of the control channel: one JSON object on one line.
package protocol ControlMessage: Codable, Sendable {}

extension ControlMessage {
  /// Reads a line without its newline.
  ///
  /// - Throws: `MalformedMessage` when the line is not a message of this type.
  package init(line: [UInt8]) throws(MalformedMessage) {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(line))
    } catch {
      throw MalformedMessage(
        line: String(decoding: line.prefix(200), as: UTF8.self),
        reason: MalformedMessage.reason(of: error))
    }
  }

  /// Returns the message as a line without its newline.
  ///
  /// - Throws: `EncodingError` when a number is not finite.
  package func line() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self))
  }
}

/// The error of a line that is not a message of the control channel.
package struct MalformedMessage: Error, Equatable, CustomStringConvertible {
  /// The beginning of the line.
  package let line: String
  /// Why the line is not a message.
  package let reason: String

  package init(line: String, reason: String) {
    self.line = line
    self.reason = reason
  }

  /// What failed, on which line, and why.
  package var description: String {
    "cannot read a line of the control channel: \(reason). The line: \(line)"
  }

  fileprivate static func reason(of error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, _): "'\(key.stringValue)' is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "it is not a JSON object"
        : "'\(context.codingPath.map(\.stringValue).joined(separator: "."))' has an unknown value"
    default: "\(error)"
    }
  }
}
