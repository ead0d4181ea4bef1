internal import PerfGate
internal import PerfReport

extension MCPTool {
  /// The most functions in a result, unless the call has a limit: agents pay for each line that they read.
  private static let mostFunctions = 20

  /// Returns the part of a verb's document that the tool reports.
  ///
  /// Lists of functions are cut off, in a comparison after those that changed. `perfkit show ID --format json`
  /// prints the whole document.
  ///
  /// - Parameters:
  ///   - document: The printed JSON.
  ///   - arguments: The arguments of the call.
  /// - Returns: An object.
  /// - Throws: `Failure` if the functions of a run without any are requested.
  func result(_ document: JSONValue, _ arguments: JSONValue) throws -> JSONValue {
    if let listKey { return .object([listKey: document]) }
    var limit = Self.mostFunctions
    if case .int(let number)? = arguments["limit"] { limit = number }
    guard case .object(var members) = document else { return document }
    members["functions"] = members["functions"].map { Self.first(limit, of: $0) }
    for (member, lists) in [("work", ["functions"]), ("allocations", ["counts", "bytes"])] {
      guard case .object(var content)? = members[member] else { continue }
      for list in lists { content[list] = content[list].map { Self.first(limit, of: $0) } }
      members[member] = .object(content)
    }
    if name == "hot_functions" {
      guard case .array(let functions)? = members["functions"], !functions.isEmpty else {
        throw Failure(
          "this run has no sampled functions. Measure it again, longer and without --no-profile or "
            + "--count.")
      }
      members = members.filter { ["id", "scenario", "variant", "functions"].contains($0.key) }
    }
    return .object(members)
  }

  /// Returns the first functions; in a comparison, changed ones come first.
  private static func first(_ limit: Int, of value: JSONValue) -> JSONValue {
    guard case .array(let functions) = value else { return value }
    let changed = functions.filter { $0["significant"] == .bool(true) }
    let others = functions.filter { $0["significant"] != .bool(true) }
    return .array(Array((changed + others).prefix(limit)))
  }
}
