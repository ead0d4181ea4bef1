internal import Foundation
internal import PerfModel

enum Ticks {
  /// Returns about `count` numbers in a range, with a distance of 1, 2 or 5 times a power of ten.
  static func values(in range: ClosedRange<Double>, count: Int) -> [Double] {
    let span = range.upperBound - range.lowerBound
    guard span > 0, span.isFinite, count > 0 else { return [] }
    let step = step(span / Double(count), slack: 0.0001)
    let first = (range.lowerBound / step - 1e-9).rounded(.up)
    let last = (range.upperBound / step + 1e-9).rounded(.down)
    guard last >= first, last - first < 1000 else { return [] }
    return stride(from: first, through: last, by: 1).map { $0 * step }
  }

  /// Returns the text of a tick with up to 12 digits, because ticks far from zero differ in late
  /// digits.
  static func label(_ value: Double) -> String { NumberFormat.significant(value, digits: 12) }

  /// Returns the smallest range with round limits that contains the values and `including`.
  static func range(around values: [Double], including: [Double] = [0]) -> ClosedRange<Double> {
    let all = (values + including).filter(\.isFinite)
    guard let low = all.min(), let high = all.max() else { return 0...1 }
    guard high > low else { return low - 0.5...low + 0.5 }
    // The distance overflows, so there is no round step.
    guard (high - low).isFinite else { return low...high }
    // Half steps keep the marks from being squeezed into a part of the panel.
    let half = step((high - low) / 5) / 2
    return (low / half).rounded(.down) * half...(high / half).rounded(.up) * half
  }

  /// Returns the range around values and zero, or without zero if the values differ by less than
  /// this share of the largest.
  static func range(around values: [Double], flatBelow share: Double) -> ClosedRange<Double> {
    let spread = (values.max() ?? 0) - (values.min() ?? 0)
    let isFlat = spread > 0 && spread < share * (values.map { abs($0) }.max() ?? 0)
    return range(around: values, including: isFlat ? [] : [0])
  }

  /// Returns the smallest round step that is at least `rough`.
  private static func step(_ rough: Double, slack: Double = 0) -> Double {
    let decade = pow(10, floor(log10(rough)))
    return [1, 2, 5].map { $0 * decade }.first { $0 >= rough * (1 - slack) } ?? 10 * decade
  }
}
