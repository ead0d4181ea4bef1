internal import Foundation
public import PerfReport
public import Testing

/// A schema of `Documentation/schemas`: JSON Schema, draft 2020-12, with the keywords that these schemas use.
///
/// The validator is strict about documentation: a property that an object schema with `properties` does not
/// name is a mismatch, although the published schemas allow additions.
public struct JSONSchema: Sendable {
  /// A part of a schema, and the file that its references start from.
  private struct Part {
    let value: JSONValue
    let file: String
  }

  /// The keywords that the validator knows.
  static let assertions: Set = [
    "type", "const", "enum", "properties", "required", "additionalProperties", "items", "anyOf",
    "minimum", "maximum", "$ref",
  ]
  static let annotations: Set = ["$schema", "$id", "$defs", "title", "description"]
  static let types: Set = [
    "null", "boolean", "integer", "number", "string", "array", "object",
  ]

  private static let ending = ".schema.json"

  private let name: String
  /// The schemas by the names of their files.
  private let files: [String: JSONValue]

  /// Creates a schema of one or more files.
  ///
  /// - Parameters:
  ///   - name: The name of the file without `.schema.json`.
  ///   - files: The schemas by the names of their files.
  public init(_ name: String, in files: [String: JSONValue]) {
    self.name = name + Self.ending
    self.files = files
  }

  /// The schemas of `Documentation/schemas` by the names of their files.
  ///
  /// - Throws: A file error, or an error of decoding.
  public static func published() throws -> [String: JSONValue] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(components: "..", "..", "Documentation", "schemas")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return try files.filter { $0.lastPathComponent.hasSuffix(ending) }
      .reduce(into: [:]) { schemas, file in
        schemas[file.lastPathComponent] = try JSONDecoder().decode(
          JSONValue.self, from: Data(contentsOf: file))
      }
  }

  private var root: Part { Part(value: files[name] ?? .null, file: name) }

  // MARK: - The schema itself

  /// The faults of the schema: unknown keywords and types, and references without a target.
  public var faults: [String] { faults(of: root.value, at: "#") }

  private func faults(of schema: JSONValue, at path: String) -> [String] {
    guard case .object(let members) = schema else { return ["\(path) is no object"] }
    var faults: [String] = []
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      let place = "\(path)/\(key)"
      switch key {
      case "properties", "$defs":
        guard case .object(let schemas) = value else {
          faults.append("\(place) is no object")
          continue
        }
        for (name, schema) in schemas.sorted(by: { $0.key < $1.key }) {
          faults += self.faults(of: schema, at: "\(place)/\(name)")
        }
      case "items", "additionalProperties": faults += self.faults(of: value, at: place)
      case "anyOf":
        for (index, schema) in elements(of: value).enumerated() {
          faults += self.faults(of: schema, at: "\(place)/\(index)")
        }
      case "type":
        for name in names(of: value) where !Self.types.contains(name) {
          faults.append("\(place) names the unknown type '\(name)'")
        }
      case "$ref" where target(of: value, in: name) == nil: faults.append("\(place) has no target")
      default:
        if !Self.assertions.contains(key), !Self.annotations.contains(key) {
          faults.append("\(place) is no known keyword")
        }
      }
    }
    return faults
  }

  /// Returns the target of `FILE#/$defs/NAME`, or of one half of it; nil if there is none.
  private func target(of reference: JSONValue, in file: String) -> Part? {
    guard case .string(let text) = reference else { return nil }
    let halves = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let target = halves[0].isEmpty ? file : String(halves[0])
    guard let root = files[target] else { return nil }
    guard halves.count == 2, !halves[1].isEmpty else { return Part(value: root, file: target) }
    let prefix = "/$defs/"
    guard halves[1].hasPrefix(prefix) else { return nil }
    return root["$defs"]?[String(halves[1].dropFirst(prefix.count))]
      .map { Part(value: $0, file: target) }
  }

  private func elements(of value: JSONValue?) -> [JSONValue] {
    guard case .array(let elements)? = value else { return [] }
    return elements
  }

  /// Returns a string, or the strings of an array.
  private func names(of value: JSONValue?) -> [String] {
    if case .string(let name)? = value { return [name] }
    return elements(of: value).compactMap { element in
      guard case .string(let name) = element else { return nil }
      return name
    }
  }

  // MARK: - Values

  /// Returns where and why a value does not match the schema; empty if it matches.
  public func mismatches(of value: JSONValue) -> [String] { mismatches(of: value, root, at: "$") }

  private func mismatches(of value: JSONValue, _ part: Part, at path: String) -> [String] {
    let schema = part.value
    var found: [String] = []
    if let reference = schema["$ref"] {
      guard let target = target(of: reference, in: part.file) else {
        return ["\(path): a reference has no target"]
      }
      found += mismatches(of: value, target, at: path)
    }
    func within(_ schema: JSONValue) -> Part { Part(value: schema, file: part.file) }
    let types = names(of: schema["type"])
    if !types.isEmpty, !types.contains(where: { matches(value, $0) }) {
      return found + ["\(path): \(short(value)) is not of type \(types.joined(separator: " or "))"]
    }
    if let constant = schema["const"], constant != value {
      found.append("\(path): \(short(value)) is not \(short(constant))")
    }
    if schema["enum"] != nil, !elements(of: schema["enum"]).contains(value) {
      found.append("\(path): \(short(value)) is none of the listed values")
    }
    if let minimum = number(schema["minimum"]), let number = number(value), number < minimum {
      found.append("\(path): \(number) is less than \(minimum)")
    }
    if let maximum = number(schema["maximum"]), let number = number(value), number > maximum {
      found.append("\(path): \(number) is more than \(maximum)")
    }
    let choices = elements(of: schema["anyOf"])
    if !choices.isEmpty {
      let all = choices.map { mismatches(of: value, within($0), at: path) }
      if !all.contains(where: \.isEmpty) { found += all.min { $0.count < $1.count } ?? [] }
    }
    switch value {
    case .array(let elements):
      guard let items = schema["items"] else { break }
      for (index, element) in elements.enumerated() {
        found += mismatches(of: element, within(items), at: "\(path)[\(index)]")
      }
    case .object(let members):
      found += names(of: schema["required"]).filter { members[$0] == nil }
        .map { "\(path): the property '\($0)' is missing" }
      for (key, value) in members.sorted(by: { $0.key < $1.key }) {
        if let property = schema["properties"]?[key] ?? schema["additionalProperties"] {
          found += mismatches(of: value, within(property), at: "\(path).\(key)")
        } else if schema["properties"] != nil {
          found.append("\(path): the property '\(key)' is not described")
        }
      }
    case .null, .bool, .int, .unsigned, .number, .string: break
    }
    return found
  }

  private func matches(_ value: JSONValue, _ type: String) -> Bool {
    switch value {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    case .int, .unsigned: type == "integer" || type == "number"
    // As in the specification, 1.0 is an integer.
    case .number(let number):
      type == "number" || type == "integer" && number == number.rounded()
    }
  }

  private func number(_ value: JSONValue?) -> Double? {
    switch value {
    case .int(let number): Double(number)
    case .unsigned(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  private func short(_ value: JSONValue) -> String {
    String(value.text(isIndented: false).prefix(80))
  }
}

/// Expects that JSON matches a schema of `Documentation/schemas`.
///
/// - Parameters:
///   - value: The value.
///   - name: The name of the schema.
///   - sourceLocation: The location of issues.
/// - Throws: An error if the schemas cannot be read.
public func expect(
  _ value: JSONValue, matches name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for mismatch in JSONSchema(name, in: try JSONSchema.published()).mismatches(of: value) {
    Issue.record("\(name): \(mismatch)", sourceLocation: sourceLocation)
  }
}
