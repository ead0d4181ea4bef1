internal import Foundation

/// A JSON value that can be written without surprise: no NaN, no infinity, keys in order.
public enum JSONValue: Hashable, Sendable, ExpressibleByNilLiteral {
  case null
  case bool(Bool)
  case int(Int)
  case unsigned(UInt64)
  /// Numbers that are not finite are written as null.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Creates null.
  public init(nilLiteral: ()) { self = .null }

  /// Creates a number, or null.
  public static func optional(_ value: Double?) -> JSONValue { value.map(JSONValue.number) ?? .null }

  /// Creates a whole number, or null.
  public static func optional(_ value: Int?) -> JSONValue { value.map(JSONValue.int) ?? .null }

  /// Creates a string, or null.
  public static func optional(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }

  /// Returns the value as UTF-8 text with keys in alphabetical order.
  ///
  /// - Parameter isIndented: Whether it is laid out for people.
  /// - Returns: One line, or lines with a newline at the end.
  public func text(isIndented: Bool = true) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isIndented { encoder.outputFormatting.insert(.prettyPrinted) }
    // Every case is encodable, so there is nothing that could fail.
    guard let data = try? encoder.encode(self) else { return "null" }
    return String(decoding: data, as: UTF8.self) + (isIndented ? "\n" : "")
  }
}

extension JSONValue: Encodable {
  /// Writes the bare value.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      try members.encode(to: encoder)
    case .array(let elements):
      try elements.encode(to: encoder)
    default:
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .int(let value): try container.encode(value)
      case .unsigned(let value): try container.encode(value)
      case .number(let value) where value.isFinite: try container.encode(value)
      case .string(let value): try container.encode(value)
      default: try container.encodeNil()
      }
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral {
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
}
