import PerfModel
import Testing

struct QuantityTests {
  // Factors from the SI brochure and IEC 80000-13.
  @Test(
    arguments: [
      ("3 ns", 3, .time), ("3 us", 3e3, .time), ("3 µs", 3e3, .time), ("3 μs", 3e3, .time),
      ("3 ms", 3e6, .time), ("3 s", 3e9, .time), ("2 min", 120e9, .time),
      ("7 B", 7, .size), ("7 kB", 7e3, .size), ("150 MB", 150e6, .size), ("2 GB", 2e9, .size),
      ("1 KiB", 1024, .size), ("1 MiB", 1_048_576, .size), ("1 GiB", 1_073_741_824, .size),
      ("4 count", 4, .count), ("0.25 ratio", 0.25, .ratio), ("25%", 0.25, .ratio),
      ("25 %", 0.25, .ratio), ("5 ms/s", 5, .timeRatio), ("60 fps", 60, .frequency),
      ("60 Hz", 60, .frequency),
    ] as [(String, Double, Dimension)])
  func `every unit converts to its base unit`(text: String, base: Double, dimension: Dimension)
    throws
  {
    let quantity = try #require(Quantity.parse(text))
    #expect(quantity.baseValue == base)
    #expect(quantity.unit.dimension == dimension)
  }

  @Test(arguments: [
    ("60s", 60e9), ("  60 s\t", 60e9), ("-5 ms", -5e6), ("+5 ms", 5e6), (".5 ms", 5e5),
    ("1e3 ns", 1e3), ("1E3ns", 1e3), ("2.5e-1 ms", 2.5e5), ("1_000 ns", 1e3), ("0 ms", 0),
  ])
  func `quantities are read in common notations`(text: String, base: Double) {
    #expect(Quantity.parse(text)?.baseValue == base)
  }

  @Test(arguments: [
    "", " ", "5", "ms", "MB 5", "5 eggs", "5eggs", "5 mb", "5 Ms", "1.2.3 ms", "1-2 ms", "5. ms",
    "- 5 ms", "--5 ms", "0x10 ns", "inf ms", "nan ms", "1e400 ms", "1e308 s", "½ ms", "５ ms",
    "5 ms 3", "5,5 ms", "5 ms/s/s", "%", "5 %%",
  ])
  func `invalid texts are not read as quantities`(text: String) {
    #expect(Quantity.parse(text) == nil)
  }

  @Test(arguments: Unit.all)
  func `a written quantity is read as the same quantity`(unit: Unit) throws {
    for value in [0, 1, -2.5, 0.07, 99.9, 1024, 123_456] {
      let quantity = Quantity(value, unit)
      let read = try #require(Quantity.parse("\(quantity)"), "\(quantity)")
      #expect(read.unit == unit)
      #expect(abs(read.baseValue - quantity.baseValue) <= abs(quantity.baseValue) * 1e-12)
    }
  }

  @Test(arguments: [
    (Quantity(150, .megabytes), "150 MB"), (Quantity(2, .percent), "2%"),
    (Quantity(5, .millisecondsPerSecond), "5 ms/s"), (Quantity(-0.5, .milliseconds), "-0.5 ms"),
    // 0.07 / 0.01 is 7.000000000000001 in floating point.
    (Quantity(7, .percent), "7%"), (Quantity(baseValue: 1.5e9, unit: .seconds), "1.5 s"),
  ])
  func `a quantity is written in its unit`(quantity: Quantity, text: String) {
    #expect("\(quantity)" == text)
  }

  @Test func `unit symbols are unique, and each dimension has a base unit of factor one`() {
    #expect(Set(Unit.all.map(\.symbol)).count == Unit.all.count)
    for dimension in Dimension.allCases {
      let base = Unit.base(of: dimension)
      #expect(base.factor == 1)
      #expect(base.dimension == dimension)
      #expect(Unit.named(base.symbol) == base)
    }
  }

  @Test func `the value of a quantity is the number in its unit`() {
    #expect(Quantity(150, .megabytes).value == 150)
    #expect(Quantity(baseValue: 1e9, unit: .milliseconds).value == 1000)
  }
}
