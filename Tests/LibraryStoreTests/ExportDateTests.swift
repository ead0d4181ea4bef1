import Testing

@testable import LibraryStore

struct `Dates of exports` {
  /// 2021-02-28 00:00 UTC, by `date -u -d 2021-02-28 +%s`.
  static let february28: Int64 = 1_614_470_400

  @Test(arguments: [
    "2021/02/28", "2021-02-28", "2021-2-28", "2021.02.28", "28.02.2021", "28.2.2021", "2/28/2021",
    "02/28/2021", "28/2/2021", "28-02-2021", "Feb 28, 2021", "February 28, 2021", "28 Feb 2021",
    "28-Feb-2021", "28-Feb-21", "FEB 28 2021", "2021-02-28T00:00:00", "2021-02-28T01:00:00+01:00",
    "2021-02-27T19:30:00-0430", "2021-02-28T00:00:00.25Z", "2021/02/28 0:00",
    "2/28/2021 12:00:00 AM",
  ])
  func `every common form of a date is read`(text: String) {
    #expect(ExportDate.read(text, order: nil) == .time(Self.february28))
  }

  // 13 h 5 min are 47,100 s.
  @Test(arguments: ["2021-02-28 13:05", "2/28/2021 1:05 PM", "28.02.2021 13:05:00"])
  func `the time of a date counts`(text: String) {
    #expect(ExportDate.read(text, order: nil) == .time(Self.february28 + 47_100))
  }

  @Test(arguments: [
    "2021/02/31", "2021/02/29", "1900-02-29", "31.04.2021", "2021/13/01", "2021/00/10",
    "2021/01/00",
    "13/13/2021", "2/30/2021", "Feb 30, 2021", "Foo 1, 2021", "Fe 1, 2021", "2021", "2021/02",
    "2/28/21",
    "21/02/28", "44255", "yesterday", "2021/02/28 25:00", "2021/02/28 10:75", "2021/02/28 13:00 PM",
    "0000/01/01", "2021/02/28/01", "99999/01/01", "-2021/02/28x",
  ])
  func `impossible and incomplete dates are invalid`(text: String) {
    #expect(ExportDate.read(text, order: nil) == .invalid)
  }

  @Test func `the 29th of February exists in leap years only`() {
    for year in [1996, 2000, 2024] {
      #expect(ExportDate.read("\(year)/02/29", order: nil) != .invalid)
    }
    for year in [1900, 2023, 2100] {
      #expect(ExportDate.read("\(year)/02/29", order: nil) == .invalid)
    }
  }

  @Test func `a date of two meanings needs an order`() {
    // date -u -d 2021-03-04 +%s and date -u -d 2021-04-03 +%s.
    #expect(ExportDate.read("3/4/2021", order: nil) == .ambiguous)
    #expect(ExportDate.read("3/4/2021", order: .monthFirst) == .time(1_614_816_000))
    #expect(ExportDate.read("3/4/2021", order: .dayFirst) == .time(1_617_408_000))
    #expect(ExportDate.read("3/3/2021", order: nil) == ExportDate.read("2021/03/03", order: nil))
  }

  @Test func `only a date with one meaning proves an order`() {
    #expect(ExportDate.order(provenBy: "2/28/2021") == .monthFirst)
    #expect(ExportDate.order(provenBy: "28/2/2021") == .dayFirst)
    for text in [
      "3/4/2021", "3/3/2021", "2021/02/28", "28.02.2021", "Feb 28, 2021", "", "13/13/2021",
    ] {
      #expect(ExportDate.order(provenBy: text) == nil)
    }
  }

  // date -u -d ... +%s, divided by 86,400.
  @Test(arguments: [
    (1970, 1, 1, 0), (2000, 2, 29, 11_016), (2024, 12, 31, 20_088), (1969, 12, 31, -1),
    (2100, 3, 1, 47_541),
  ])
  func `daysSince1970 matches the calendar`(year: Int, month: Int, day: Int, days: Int) {
    #expect(daysSince1970(year: year, month: month, day: day) == days)
  }
}
