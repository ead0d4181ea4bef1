internal import Foundation

/// A JSON value with sorted keys and finite numbers.
public enum JSONValue: Hashable, Sendable, ExpressibleByNilLiteral, ExpressibleByStringLiteral {
  case null
  case bool(Bool)
  case int(Int)
  case unsigned(UInt64)
  /// A number; it is written as null unless it is finite.
  case number(Double)
  case string(String)
  case array([JSONValue])
  /// An object; its keys are written in alphabetical order.
  case object([String: JSONValue])

  /// Creates null.
  public init(nilLiteral: ()) { self = .null }

  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Returns a number, or null.
  public static func optional(_ value: Double?) -> JSONValue {
    value.map(JSONValue.number) ?? .null
  }

  /// Returns an integer, or null.
  public static func optional(_ value: Int?) -> JSONValue { value.map(JSONValue.int) ?? .null }

  /// Returns a string, or null.
  public static func optional(_ value: String?) -> JSONValue {
    value.map(JSONValue.string) ?? .null
  }

  /// Returns the value as text with keys in alphabetical order, indented with a newline at the end for
  /// people, or as a single line.
  public func text(isIndented: Bool = true) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isIndented { encoder.outputFormatting.insert(.prettyPrinted) }
    // All cases are encodable, so encoding cannot fail.
    guard let data = try? encoder.encode(self) else { return "null" }
    return String(decoding: data, as: UTF8.self) + (isIndented ? "\n" : "")
  }
}

extension JSONValue: Encodable {
  /// Encodes the value without its case name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .object(let members): try container.encode(members)
    case .array(let elements): try container.encode(elements)
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .number(let value) where value.isFinite: try container.encode(value)
    case .string(let value): try container.encode(value)
    case .number, .null: try container.encodeNil()
    }
  }
}
