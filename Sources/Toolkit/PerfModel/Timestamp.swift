/// A point in wall-clock time with a precision of one millisecond.
public struct Timestamp: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64

  /// Creates a timestamp from milliseconds since 1970.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Returns whether one timestamp is before another.
  public static func < (first: Timestamp, second: Timestamp) -> Bool {
    first.milliseconds < second.milliseconds
  }

  /// ISO 8601 in UTC, such as `2026-11-21T02:18:18Z`.
  public var description: String {
    let seconds = milliseconds.dividedFloored(by: 1000)
    let days = seconds.dividedFloored(by: 86400)
    let (year, month, day) = Self.civil(fromDays: days)
    let time = seconds - days * 86400
    let parts = [time / 3600, time / 60 % 60, time % 60].map { NumberFormat.padded($0, to: 2) }
    let date = [(year, 4), (month, 2), (day, 2)].map { NumberFormat.padded($0, to: $1) }
    return date.joined(separator: "-") + "T" + parts.joined(separator: ":") + "Z"
  }

  /// Date and time of day, such as `2026-11-21 02:18`.
  public var short: String {
    let text = description
    return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
  }

  /// Converts days since 1970 to a date.
  ///
  /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
  private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted.dividedFloored(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

extension Int64 {
  fileprivate func dividedFloored(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
