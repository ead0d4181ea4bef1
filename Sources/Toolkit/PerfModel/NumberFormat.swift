/// Formats numbers identically on every machine and locale.
public enum NumberFormat {
  /// Returns a number that is not negative with leading zeros; longer numbers keep all digits.
  package static func padded(_ number: some BinaryInteger, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Returns a number with some significant digits, without trailing zeros after the point.
  ///
  /// All digits before the point are written. Magnitudes from 10^15 on and below 10^-6 are written
  /// with all their digits, with an exponent if that is shorter.
  public static func significant(_ value: Double, digits: Int = 4) -> String {
    guard value.isFinite else { return value.isNaN ? "nan" : (value > 0 ? "inf" : "-inf") }
    guard value != 0 else { return "0" }
    let magnitude = decade(of: abs(value))
    if magnitude >= 15 || magnitude < -6 {
      let text = "\(value)"
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    return trimmed(fixed(value, decimals: max(0, digits - 1 - magnitude)))
  }

  /// Returns a number with a fixed count of decimals (0 to 15), rounded half away from zero.
  public static func fixed(_ value: Double, decimals: Int) -> String {
    guard value.isFinite, abs(value) < 9e15 else { return "\(value)" }
    let decimals = min(max(decimals, 0), 15)
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = (abs(value) * scale).rounded()
    guard scaled < 9e18 else { return "\(value)" }
    let digits = String(UInt64(scaled))
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + digits }
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let point = padded.index(padded.endIndex, offsetBy: -decimals)
    return "\(sign)\(padded[..<point]).\(padded[point...])"
  }

  /// Returns a whole number with commas between thousands.
  public static func grouped(_ value: Int) -> String {
    var text = ""
    for (index, digit) in String(value.magnitude).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return (value < 0 ? "-" : "") + String(text.reversed())
  }

  /// Returns a value in base units in its most readable unit, such as `8.25 ms`.
  public static func human(
    _ baseValue: Double, _ dimension: Dimension, digits: Int = 4
  ) -> String {
    let unit = readableUnit(for: baseValue, dimension)
    let number = significant(baseValue / unit.factor, digits: digits)
    switch dimension {
    case .count: return number
    case .ratio: return "\(number)%"
    default: return "\(number) \(unit.symbol)"
    }
  }

  /// Returns the difference of two values in base units with its sign, such as `+8.25 ms`.
  public static func humanChange(_ difference: Double, _ dimension: Dimension) -> String {
    (difference > 0 ? "+" : "") + human(difference, dimension)
  }

  /// Returns the unit in which a value is from 1 to 999, if there is one.
  public static func readableUnit(for baseValue: Double, _ dimension: Dimension) -> Unit {
    let ladder: [String]
    switch dimension {
    case .time: ladder = ["ns", "us", "ms", "s"]
    case .size: ladder = ["B", "kB", "MB", "GB"]
    case .ratio: ladder = ["%"]
    default: return Unit.base(of: dimension)
    }
    let units = ladder.compactMap(Unit.named)
    // With four digits, 999.95 us reads as 1000 us, so 1 ms begins there.
    return units.last { abs(baseValue) >= $0.factor * 0.99995 } ?? units[0]
  }

  /// Returns a relative change such as `+3.2%` for `0.032`.
  public static func percentChange(_ fraction: Double, digits: Int = 3) -> String {
    let text = significant(fraction * 100, digits: digits)
    return (fraction > 0 ? "+" : "") + text + "%"
  }

  private static func trimmed(_ text: String) -> String {
    guard text.contains(".") else { return text }
    var view = text[...]
    while view.last == "0" { view = view.dropLast() }
    if view.last == "." { view = view.dropLast() }
    return String(view)
  }

  /// Returns the power of ten at or below a positive value.
  ///
  /// The standard library alone has no logarithm; counting decades is exact enough for digits.
  private static func decade(of value: Double) -> Int {
    var decade = 0
    var rest = value
    while rest >= 10 {
      rest /= 10
      decade += 1
    }
    while rest < 1 {
      rest *= 10
      decade -= 1
    }
    return decade
  }
}
