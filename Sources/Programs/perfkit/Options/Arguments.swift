internal import ArgumentParser
internal import PerfModel

/// A duration on the command line, such as `90s` or `5min`.
struct DurationArgument: ExpressibleByArgument {
  let nanoseconds: UInt64

  var defaultValueDescription: String { NumberFormat.human(Double(nanoseconds), .time) }

  init(_ nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  init?(argument: String) {
    guard let quantity = Quantity.parse(argument), quantity.unit.dimension == .time,
      quantity.baseValue >= 0, quantity.baseValue < 1e18
    else { return nil }
    nanoseconds = UInt64(quantity.baseValue)
  }

  /// Returns the parser's message about a command line, with a hint if a duration lacks its unit.
  static func hinted(_ message: String) -> String {
    message.replacing(/(The value '([0-9.]+)' is invalid for '--[a-z-]+ <duration>')/) { match in
      "\(match.1): its unit is missing, e.g. \(match.2)s"
    }
  }
}

/// Returns the value with a name.
///
/// - Throws: `ValidationError` with all names and the nearest one.
func choice<Value>(
  _ text: String, of kind: String, among values: [Value], by name: (Value) -> String
) throws -> Value {
  let names = values.map(name)
  guard let index = names.firstIndex(of: text) else {
    throw ValidationError(
      "there is no \(kind) '\(text)' among \(names.joined(separator: ", "))"
        + NearestName.hint(for: text, among: names))
  }
  return values[index]
}

/// Refuses a value of an option outside of its range.
func check(
  _ value: Int?, _ option: String, in range: ClosedRange<Int>, _ unit: String = ""
) throws {
  if let value, !range.contains(value) {
    throw ValidationError(
      "\(option) must be from \(range.lowerBound) to \(range.upperBound)\(unit), not \(value).")
  }
}
