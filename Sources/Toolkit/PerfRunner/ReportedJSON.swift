/// A JSON value that a command reported.
enum ReportedJSON: Decodable {
  case number(Double)
  case text(String)
  case flag(Bool)
  case list([ReportedJSON])
  case object([String: ReportedJSON])
  case null

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let list = try? value.decode([ReportedJSON].self) {
      self = .list(list)
    } else if let object = try? value.decode([String: ReportedJSON].self) {
      self = .object(object)
    } else {
      self = .null
    }
  }

  /// The number; nil for other values.
  var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// The text; nil for other values.
  var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The elements of a list; none for other values.
  var elements: [ReportedJSON] { if case .list(let list) = self { list } else { [] } }

  /// Returns the member with a name, or the element with a number.
  subscript(_ name: String) -> ReportedJSON? {
    switch self {
    case .object(let members): members[name]
    case .list(let list): Int(name).flatMap { list.indices.contains($0) ? list[$0] : nil }
    default: nil
    }
  }

  /// Returns the value at a path such as `summary.requests` or `rows.0.time`.
  func value(at path: String) -> ReportedJSON? {
    if let member = self[path] { return member }
    // A name may contain points, so that each beginning of the path is tried.
    for (index, character) in zip(path.indices, path) where character == "." {
      let rest = String(path[path.index(after: index)...])
      if let found = self[String(path[..<index])]?.value(at: rest) { return found }
    }
    return nil
  }
}
