/// A value of a workload parameter.
public enum ParameterValue: Hashable, Sendable {
  /// A whole number.
  case int(Int)
  /// A number.
  case double(Double)
  /// A text, or the raw value of an enumeration's case.
  case string(String)
  /// A truth value.
  case bool(Bool)
}

extension ParameterValue: CustomStringConvertible {
  /// The value as text, in the form that scenario files use.
  public var description: String {
    switch self {
    case .int(let value): "\(value)"
    case .double(let value) where value == value.rounded() && abs(value) < 1e15:
      "\(Int(value))"
    case .double(let value): "\(value)"
    case .string(let value): value
    case .bool(let value): "\(value)"
    }
  }
}

extension ParameterValue: Codable {
  /// Reads a bare JSON number, string or truth value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  /// Writes a bare JSON number, string or truth value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .bool(let value): try container.encode(value)
    }
  }
}
