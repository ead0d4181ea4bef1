import PerfModel
import Testing

struct NumberFormatTests {
  @Test(
    arguments: [
      (0, "0"), (-0.0, "0"), (1, "1"), (1.5, "1.5"), (123.456, "123.5"), (1234.5678, "1235"),
      (12345.678, "12346"), (0.00012345, "0.0001235"), (9.9996, "10"), (999.96, "1000"),
      (-2.34567, "-2.346"), (100, "100"), (0.1, "0.1"), (1.0001, "1"), (0.99999, "1"),
      (1e14, "100000000000000"), (1e15, "1000000000000000"), (1e16, "1e+16"), (1e-10, "1e-10"),
      (1.5e-7, "1.5e-07"), (-1e300, "-1e+300"),
      (.leastNonzeroMagnitude, "5e-324"), (.nan, "nan"), (.infinity, "inf"), (-.infinity, "-inf"),
    ] as [(Double, String)])
  func `a number is formatted with four significant digits`(value: Double, text: String) {
    #expect(NumberFormat.significant(value) == text)
  }

  @Test(
    arguments: [
      (3.14159, 1, "3"), (3.14159, 2, "3.1"), (3.14159, 6, "3.14159"), (0.05, 1, "0.05"),
      (1.0 / 3, 15, "0.333333333333333"), (2500, 2, "2500"),
    ] as [(Double, Int, String)])
  func `a number is formatted with the requested digits`(value: Double, digits: Int, text: String) {
    #expect(NumberFormat.significant(value, digits: digits) == text)
  }

  @Test(
    arguments: [
      (0, 2, "0.00"), (-0.0, 2, "0.00"), (-0.001, 2, "0.00"), (-0.005, 2, "-0.01"),
      (0.5, 0, "1"), (1.5, 0, "2"), (2.5, 0, "3"), (-2.5, 0, "-3"), (0.125, 2, "0.13"),
      (-0.125, 2, "-0.13"), (1.005, 2, "1.00"), (99.995, 1, "100.0"), (12, 3, "12.000"),
      (0.007, 3, "0.007"), (1e15, 0, "1000000000000000"), (1e16, 0, "1e+16"), (.nan, 2, "nan"),
    ] as [(Double, Int, String)])
  func `fixed decimals round half away from zero`(value: Double, decimals: Int, text: String) {
    #expect(NumberFormat.fixed(value, decimals: decimals) == text)
  }

  @Test func `a number of decimals out of range is clamped`() {
    #expect(NumberFormat.fixed(1.5, decimals: -3) == "2")
    #expect(NumberFormat.fixed(1.5, decimals: 99) == "1.500000000000000")
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (-1000, "-1,000"), (-999, "-999"),
    (1_234_567, "1,234,567"), (Int.max, "9,223,372,036,854,775,807"),
    (Int.min, "-9,223,372,036,854,775,808"),
  ])
  func `thousands are grouped with commas`(value: Int, text: String) {
    #expect(NumberFormat.grouped(value) == text)
  }

  @Test(
    arguments: [
      (8_250_000, .time, "8.25 ms"), (999, .time, "999 ns"), (0, .time, "0 ns"),
      (0.25, .time, "0.25 ns"), (1500, .time, "1.5 us"), (-8_250_000, .time, "-8.25 ms"),
      (61e9, .time, "61 s"), (149_999_999, .size, "150 MB"), (2_500, .size, "2.5 kB"),
      (512, .size, "512 B"), (3.2e12, .size, "3200 GB"), (0.934, .ratio, "93.4%"),
      (0, .ratio, "0%"), (7, .count, "7"), (4.99, .timeRatio, "4.99 ms/s"),
      (58.21, .frequency, "58.21 fps"),
      // With four digits, 999,960 ns reads as 1000 us, which is 1 ms.
      (999_960, .time, "1 ms"), (999_940, .time, "999.9 us"), (999_960, .size, "1 MB"),
      (-999_960, .time, "-1 ms"),
    ] as [(Double, Dimension, String)])
  func `a value is formatted in its most readable unit`(
    value: Double, dimension: Dimension, text: String
  ) {
    #expect(NumberFormat.human(value, dimension) == text)
  }

  @Test(
    arguments: [
      (0.032, "+3.2%"), (-0.032, "-3.2%"), (0, "0%"), (0.00012, "+0.012%"), (1.5, "+150%"),
      (-0.9876, "-98.8%"),
    ] as [(Double, String)])
  func `a relative change is formatted with its sign`(fraction: Double, text: String) {
    #expect(NumberFormat.percentChange(fraction) == text)
  }
}
