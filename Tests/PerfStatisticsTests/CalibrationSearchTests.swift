import Foundation
import PerfStatistics
import Testing

struct CalibrationSearchTests {
  /// Searches for the size whose value is the target, and returns the tries.
  private func search(
    target: Double, in range: ClosedRange<Double>, isWhole: Bool = false,
    value: (Double) -> Double
  ) -> CalibrationSearch {
    var search = CalibrationSearch(target: target, range: range, isWhole: isWhole)
    while let size = search.next { search.add(size: size, value: value(size)) }
    return search
  }

  @Test(arguments: [0.5, 1, 2, 3])
  func `a value that is a power of the size is reached in a few launches`(power: Double) {
    func value(_ size: Double) -> Double { 100 * pow(size, power) }
    let search = search(target: value(2.6), in: 1...8, value: value)
    #expect(search.hasReached)
    #expect(search.tries.count <= 3)
    // The tolerance of 5 % of the value is 5 % / power of the size.
    #expect(abs((search.best?.size ?? 0) / 2.6 - 1) <= 0.05 / power + 0.001)
  }

  @Test func `a constant share of the work does not prevent the end`() {
    let search = search(target: 8, in: 1000...8000, isWhole: true) { 3 + $0 / 1000 }
    #expect(search.hasReached)
    let size = search.best?.size ?? 0
    #expect(size == size.rounded())
    // 3 + 5 = 8.
    #expect(abs(size - 5000) <= 400)
  }

  @Test func `a target outside the range ends at the end of the range`() {
    let low = search(target: 1, in: 10...100) { $0 }
    #expect(low.best?.size == 10)
    #expect(!low.hasReached)
    let high = search(target: 1000, in: 10...100) { $0 }
    #expect(high.best?.size == 100)
  }

  @Test func `launches that vary end the search after six of them`() {
    var number = 0
    let search = search(target: 10, in: 1...100) { size in
      number += 1
      return number.isMultiple(of: 2) ? size * 2 : size / 2
    }
    #expect(search.tries.count <= 6)
    #expect(search.best != nil)
  }

  @Test func `sizes have four digits`() {
    let search = CalibrationSearch(target: 10, range: 1...7, isWhole: false)
    // The square root of 7 is 2.64575.
    #expect(search.next.map { abs($0 - 2.646) < 1e-9 } == true)
  }
}
