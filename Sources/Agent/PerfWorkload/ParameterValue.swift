/// A value of a parameter, as it travels over the control channel: a bare JSON value.
public enum ParameterValue: Equatable, Sendable {
  case int(Int)
  case double(Double)
  case string(String)
  case bool(Bool)
}

extension ParameterValue: CustomStringConvertible {
  /// The value as it is written in a scenario file.
  public var description: String {
    switch self {
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): value
    case .bool(let value): "\(value)"
    }
  }
}

extension ParameterValue: Codable {
  /// Reads a bare JSON value.
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

  /// Writes a bare JSON value.
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
