import PerfModel
import Testing

struct TimestampTests {
  // Seconds from `date -u -d TEXT +%s`.
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (951_868_800, "2000-03-01T00:00:00Z"), (1_709_251_199, "2024-02-29T23:59:59Z"),
      (1_795_227_498, "2026-11-21T02:18:18Z"), (-1, "1969-12-31T23:59:59Z"),
      (-2_203_891_200, "1900-03-01T00:00:00Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
      (253_402_300_799, "9999-12-31T23:59:59Z"), (-62_135_596_800, "0001-01-01T00:00:00Z"),
    ] as [(Int64, String)])
  func `timestamps are formatted as ISO 8601`(seconds: Int64, text: String) {
    #expect("\(Timestamp(milliseconds: seconds * 1000))" == text)
    #expect("\(Timestamp(milliseconds: seconds * 1000 + 999))" == text)
  }

  @Test func `the short form of a timestamp has the date and minutes`() {
    #expect(Timestamp(milliseconds: 1_795_227_498_000).short == "2026-11-21 02:18")
  }

  @Test func `a millisecond before 1970 is in 1969`() {
    #expect("\(Timestamp(milliseconds: -1))" == "1969-12-31T23:59:59Z")
  }

  @Test func `timestamps are ordered`() {
    #expect(Timestamp(milliseconds: -1) < Timestamp(milliseconds: 0))
    #expect(!(Timestamp(milliseconds: 5) < Timestamp(milliseconds: 5)))
  }
}
