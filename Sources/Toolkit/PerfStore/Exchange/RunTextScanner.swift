/// Splits the text of a run into its launches, its definitions and the rest.
///
/// It reads only the form that `RunText` writes, without spaces and with the names of metrics in ASCII. Any other text
/// is left to `JSONDecoder`.
struct RunTextScanner {
  struct Parts {
    let launches: [RunRecord.LaunchRow]
    /// The definitions as JSON.
    let definitions: [UInt8]
    /// The text with empty lists in the place of definitions and launches.
    let rest: [UInt8]
  }

  private let bytes: [UInt8]
  private var place = 0
  /// The names of the latest launch's metrics, and their places in the text.
  private var names: [(range: Range<Int>, name: String)] = []

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the parts of a text; nil for any other form.
  static func parts(of json: [UInt8]) -> Parts? {
    var scanner = RunTextScanner(bytes: json)
    return scanner.parts()
  }

  private mutating func parts() -> Parts? {
    var definitions: Range<Int>?
    var launches: Range<Int>?
    var rows: [RunRecord.LaunchRow] = []
    guard take("{") else { return nil }
    repeat {
      guard let key = plainString(), take(":") else { return nil }
      let start = place
      switch text(key) {
      case "definitions":
        guard definitions == nil, next == UInt8(ascii: "["), skipValue() else { return nil }
        definitions = start..<place
      case "launches":
        guard launches == nil, let found = launchRows() else { return nil }
        rows = found
        launches = start..<place
      default: guard skipValue() else { return nil }
      }
    } while take(",")
    guard take("}"), place == bytes.count, let first = definitions, let second = launches,
      first.upperBound < second.lowerBound
    else { return nil }
    var rest = Array(bytes[..<first.lowerBound])
    rest += "[]".utf8
    rest += bytes[first.upperBound..<second.lowerBound]
    rest += "[]".utf8
    rest += bytes[second.upperBound...]
    return Parts(launches: rows, definitions: Array(bytes[first]), rest: rest)
  }

  // MARK: - Launches

  private mutating func launchRows() -> [RunRecord.LaunchRow]? {
    var rows: [RunRecord.LaunchRow] = []
    guard take("[") else { return nil }
    if take("]") { return rows }
    repeat {
      guard let row = launchRow() else { return nil }
      rows.append(row)
    } while take(",")
    return take("]") ? rows : nil
  }

  /// The fields of a launch that were read so far.
  private struct Fields {
    var index: UInt64?
    var isWarmup: Bool?
    var status: Range<Int>?
    var offset: UInt64?
    var began: UInt64?
    var metrics: [String: Double]?
    /// The number of keys.
    var count = 0
  }

  /// Returns a launch without signal and message.
  private mutating func launchRow() -> RunRecord.LaunchRow? {
    var fields = Fields()
    guard take("{") else { return nil }
    repeat {
      guard let key = plainString(), take(":") else { return nil }
      fields.count += 1
      switch text(key) {
      case "began": fields.began = integer()
      case "index": fields.index = integer()
      case "isWarmup": fields.isWarmup = boolean()
      case "metrics": fields.metrics = values()
      case "offset": fields.offset = integer()
      case "status": fields.status = plainString()
      default: return nil
      }
    } while take(",")
    // With another number of keys, a key occurs twice or `began` has another type.
    guard take("}"), fields.count == (fields.began == nil ? 5 : 6), let number = fields.index,
      let index = Int(exactly: number), let isWarmup = fields.isWarmup, let status = fields.status,
      let offset = fields.offset, let metrics = fields.metrics
    else { return nil }
    return RunRecord.LaunchRow(
      index: index, isWarmup: isWarmup, status: text(status), signal: nil, message: nil,
      offset: offset, began: fields.began, metrics: metrics)
  }

  private mutating func values() -> [String: Double]? {
    var result = [String: Double](minimumCapacity: names.count)
    guard take("{") else { return nil }
    if take("}") { return result }
    var count = 0
    repeat {
      guard let key = plainString(), take(":"), let value = number() else { return nil }
      let name = name(count, at: key)
      guard result.updateValue(value, forKey: name) == nil else { return nil }
      count += 1
    } while take(",")
    return take("}") ? result : nil
  }

  /// Returns the name of a metric; launches of a run usually have the same names in the same order.
  private mutating func name(_ position: Int, at range: Range<Int>) -> String {
    if position == names.count {
      names.append((range, text(range)))
    } else if bytes[names[position].range] != bytes[range] {
      names[position] = (range, text(range))
    }
    return names[position].name
  }

  // MARK: - Values

  /// The next byte; 0 at the end, which is outside of strings in no JSON.
  private var next: UInt8 { place < bytes.count ? bytes[place] : 0 }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private mutating func boolean() -> Bool? {
    for value in [true, false] where bytes[place...].starts(with: "\(value)".utf8) {
      place += value ? 4 : 5
      return value
    }
    return nil
  }

  /// Takes a string of ASCII characters without escapes; returns the place of its content.
  private mutating func plainString() -> Range<Int>? {
    guard take("\"") else { return nil }
    let start = place
    while (0x20..<0x7F).contains(next), next != UInt8(ascii: "\""), next != UInt8(ascii: "\\") {
      place += 1
    }
    let end = place
    return take("\"") ? start..<end : nil
  }

  /// Takes digits, which are appended to a number of at most 19 digits.
  ///
  /// - Returns: The number of digits.
  private mutating func digits(_ number: inout UInt64, after taken: Int = 0) -> Int {
    var count = 0
    while next >= UInt8(ascii: "0"), next <= UInt8(ascii: "9") {
      if taken + count < 19 { number = number * 10 + UInt64(next - UInt8(ascii: "0")) }
      count += 1
      place += 1
    }
    return count
  }

  private mutating func integer() -> UInt64? {
    var value: UInt64 = 0
    let isZero = next == UInt8(ascii: "0")
    let count = digits(&value)
    return (1...19).contains(count) && (!isZero || count == 1) ? value : nil
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18,
  ]

  /// Takes a number or "nan".
  private mutating func number() -> Double? {
    if next == UInt8(ascii: "\"") {
      guard let content = plainString(), text(content) == "nan" else { return nil }
      return .nan
    }
    let start = place
    let isNegative = take("-")
    var mantissa: UInt64 = 0
    let isZero = next == UInt8(ascii: "0")
    let whole = digits(&mantissa)
    guard whole > 0, !isZero || whole == 1 else { return nil }
    var decimals = 0
    if take(".") {
      decimals = digits(&mantissa, after: whole)
      guard decimals > 0 else { return nil }
    }
    if take("e") {
      if !take("-") { _ = take("+") }
      var exponent: UInt64 = 0
      // With two digits, the value is neither infinite nor too near to zero.
      guard (1...2).contains(digits(&exponent)) else { return nil }
      return Double(text(start..<place))
    }
    // The quotient of two numbers that are exact is correctly rounded (Clinger 1990, doi:10.1145/93542.93557).
    guard whole + decimals <= 19, mantissa <= 1 << 53 else {
      guard let value = Double(text(start..<place)), value.isFinite else { return nil }
      return value
    }
    let magnitude = Double(mantissa) / Self.powersOfTen[decimals]
    return isNegative ? -magnitude : magnitude
  }

  /// Skips a value whose content is not checked; returns whether it ends in the text.
  private mutating func skipValue() -> Bool {
    var depth = 0
    while true {
      switch next {
      case UInt8(ascii: "\""):
        guard skipString() else { return false }
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return true }
        depth -= 1
      case UInt8(ascii: ","): if depth == 0 { return true }
      case 0: return false
      default: break
      }
      place += 1
    }
  }

  private mutating func skipString() -> Bool {
    place += 1
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return take("\"")
  }
}
