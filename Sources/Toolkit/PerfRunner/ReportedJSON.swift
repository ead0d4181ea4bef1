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

extension ReportedJSON {
  /// Returns a name that an object contains twice; nil if there is none.
  ///
  /// A decoder takes one of both values silently (RFC 8259, section 4).
  ///
  /// - Parameter text: The UTF-8 bytes of valid JSON.
  /// - Returns: The name as it is written.
  static func repeatedName(in text: [UInt8]) -> String? {
    // Only objects have names, so that lists need no level.
    var objects: [Set<String>] = []
    var index = 0
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "{"): objects.append([])
      case UInt8(ascii: "}"): _ = objects.popLast()
      case UInt8(ascii: "\""):
        let start = index + 1
        index = start
        while index < text.count, text[index] != UInt8(ascii: "\"") {
          index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < text.count, !objects.isEmpty, isName(before: index + 1, in: text) else {
          break
        }
        let name = String(decoding: text[start..<index], as: UTF8.self)
        if !objects[objects.count - 1].insert(name).inserted { return name }
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Returns whether a colon is next, apart from white space: the text before it is a name.
  private static func isName(before index: Int, in text: [UInt8]) -> Bool {
    let space = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")]
    return text[index...].first { !space.contains($0) } == UInt8(ascii: ":")
  }
}
