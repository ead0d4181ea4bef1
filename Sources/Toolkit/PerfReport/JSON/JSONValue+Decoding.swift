internal import Foundation

extension JSONValue: Decodable {
  /// Decodes any value; integers keep all their digits up to 64 bits.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .unsigned(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let members = try? container.decode([String: JSONValue].self) {
      self = .object(members)
    } else {
      self = .array(try container.decode([JSONValue].self))
    }
  }

  /// Parses JSON in UTF-8; nil if the bytes are not one JSON value.
  public init?(parsing bytes: some Sequence<UInt8>) {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else {
      return nil
    }
    self = value
  }

  /// The member of an object; nil if there is none, or the value is no object.
  public subscript(_ key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }
}
