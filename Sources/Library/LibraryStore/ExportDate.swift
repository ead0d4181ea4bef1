/// A date as Goodreads, its relatives and spreadsheets write it, with or without a time.
///
/// The forms are 2021/02/28, 2021-02-28 (ISO 8601, also with a time and an offset), 28.02.2021,
/// 2/28/2021 or 28/2/2021 (decided by `DayOrder`), Feb 28, 2021 and 28-Feb-21.
enum ExportDate {
  /// The order of day and month in dates such as 3/4/2021.
  enum DayOrder {
    case dayFirst
    case monthFirst
  }

  /// The result of reading a text.
  enum Reading: Equatable {
    /// Seconds since 1970-01-01 UTC; dates without an offset are in UTC.
    case time(Int64)
    /// A date of day and month in an unknown order.
    case ambiguous
    /// No date, or one that the calendar does not have.
    case invalid
  }

  /// Reads a date; without an order, a date that has two meanings is ambiguous.
  static func read(_ text: String, order: DayOrder?) -> Reading {
    let (date, time) = split(text)
    guard let seconds = time.isEmpty ? 0 : secondsOfDay(time) else { return .invalid }
    let parts = date.split { " ,/-.".contains($0) }
    guard parts.count == 3 else { return .invalid }
    let days: [Int?]
    if let month = parts.firstIndex(where: { $0.first?.isLetter == true }) {
      days = month < 2 ? [named(parts, month: month)] : []
    } else {
      guard let numbers = numbers(parts) else { return .invalid }
      days = numeric(numbers, digits: parts, hasDots: date.contains("."), order: order)
    }
    let valid = Set(days.compactMap(\.self))
    guard let day = valid.first else { return .invalid }
    return valid.count > 1 ? .ambiguous : .time(Int64(day) * 86_400 + Int64(seconds))
  }

  /// Returns the order that a date proves: 2/28/2021 has the month first.
  static func order(provenBy text: String) -> DayOrder? {
    if read(text, order: .dayFirst) == .invalid {
      return read(text, order: .monthFirst) == .invalid ? nil : .monthFirst
    }
    return read(text, order: .monthFirst) == .invalid ? .dayFirst : nil
  }

  // MARK: - Dates

  private static func numbers(_ parts: [Substring]) -> [Int]? {
    let numbers = parts.compactMap { $0.utf8.allSatisfy(isDigit) ? Int($0) : nil }
    return numbers.count == 3 ? numbers : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Returns the days since 1970 of all meanings of three numbers.
  private static func numeric(
    _ numbers: [Int], digits: [Substring], hasDots: Bool, order: DayOrder?
  ) -> [Int?] {
    let (first, second, third) = (numbers[0], numbers[1], numbers[2])
    if digits[0].count == 4 { return [day(first, second, third)] }
    // A year of two digits could be at either end.
    guard digits[2].count == 4, digits[0].count <= 2 else { return [] }
    let dayFirst = day(third, second, first)
    let monthFirst = day(third, first, second)
    if hasDots { return [dayFirst] }
    return switch order {
    case .dayFirst: [dayFirst]
    case .monthFirst: [monthFirst]
    case nil: [dayFirst, monthFirst]
    }
  }

  private static func named(_ parts: [Substring], month index: Int) -> Int? {
    let name = parts[index].lowercased()
    guard name.count >= 3, let month = months.firstIndex(where: { $0.hasPrefix(name) }),
      let numbers = numbers([parts[1 - index], parts[2], "0"])
    else { return nil }
    let (dayOfMonth, year) = (numbers[0], numbers[1])
    switch parts[2].count {
    case 4: return day(year, month + 1, dayOfMonth)
    // Spreadsheets write 28-Feb-21. The century is that of POSIX `strptime`, `%y`.
    case 2: return day(year + (year < 69 ? 2000 : 1900), month + 1, dayOfMonth)
    default: return nil
    }
  }

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  /// Returns the days since 1970; nil if the calendar does not have the date.
  private static func day(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    let isLeapYear =
      year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[month - 1] else { return nil }
    return daysSince1970(year: year, month: month, day: day)
  }

  // MARK: - Times

  /// Returns the date and the time of a text; the time is empty if there is none.
  private static func split(_ text: String) -> (Substring, Substring) {
    guard let colon = text.firstIndex(of: ":"),
      let border = text[..<colon].lastIndex(where: { $0 == " " || $0 == "T" })
    else { return (text[...], "") }
    return (text[..<border], text[text.index(after: border)...])
  }

  /// Returns the seconds from midnight UTC of a time such as 22:41:16+01:00 or 1:05 PM.
  private static func secondsOfDay(_ text: Substring) -> Int? {
    var rest = text.uppercased()[...]
    var hoursToAdd = 0
    for (suffix, hours) in [(" AM", 0), (" PM", 12)] where rest.hasSuffix(suffix) {
      rest = rest.dropLast(3)
      guard let hour = Int(rest.prefix { $0 != ":" }), (1...12).contains(hour) else { return nil }
      hoursToAdd = hours - (hour == 12 ? 12 : 0)
    }
    var offset = 0
    if rest.hasSuffix("Z") {
      rest = rest.dropLast()
    } else if let sign = rest.firstIndex(where: { $0 == "+" || $0 == "-" }) {
      let digits = rest[rest.index(after: sign)...].filter { $0 != ":" }
      guard digits.count == 4, let number = Int(digits), number / 100 <= 14, number % 100 < 60
      else {
        return nil
      }
      offset = (number / 100 * 3_600 + number % 100 * 60) * (rest[sign] == "-" ? -1 : 1)
      rest = rest[..<sign]
    }
    let fields = rest.prefix { $0 != "." }.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = fields.compactMap { Int($0) }
    guard (2...3).contains(fields.count), numbers.count == fields.count,
      zip(numbers, [23, 59, 60]).allSatisfy({ (0...$1).contains($0) })
    else { return nil }
    return zip(numbers, [3_600, 60, 1]).reduce(hoursToAdd * 3_600 - offset) { $0 + $1.0 * $1.1 }
  }
}

/// Returns the days from 1970-01-01 to a date of the proleptic Gregorian calendar.
///
/// Years start in March here, so that the leap day is the last day. Source: H. Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
func daysSince1970(year: Int, month: Int, day: Int) -> Int {
  let shifted = month <= 2 ? year - 1 : year
  let era = (shifted >= 0 ? shifted : shifted - 399) / 400
  let yearOfEra = shifted - era * 400
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}
