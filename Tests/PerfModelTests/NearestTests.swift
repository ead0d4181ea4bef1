import PerfModel
import Testing

struct NearestTests {
  private static let examples: [(Double, Int64)] = [
    (2.4, 2), (2.5, 3), (-2.5, -3), (0, 0), (1e300, .max), (-1e300, .min), (.infinity, .max),
    // 2^63, which is one more than the largest Int64.
    (0x1p63, .max), (-0x1p63, .min), (.nan, 0),
  ]

  @Test(arguments: examples)
  func `a value is converted to the nearest representable whole number`(
    value: Double, nearest: Int64
  ) {
    #expect(Int64(nearest: value) == nearest)
  }

  @Test func `a negative value is converted to zero in an unsigned type`() {
    #expect(UInt64(nearest: -3) == 0)
    #expect(UInt64(nearest: 0x1p64) == .max)
    #expect(UInt64(nearest: 0x1p63) == 1 << 63)
  }
}
