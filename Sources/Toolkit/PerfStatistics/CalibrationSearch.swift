internal import Foundation

/// The search for the size of a work whose measured value reaches a target.
///
/// The value is assumed to grow like a power of the size, between two sizes and beyond them. Values of
/// single launches vary, so the search ends near the target instead of refining the last percent.
public struct CalibrationSearch: Sendable {
  /// A measured size.
  public struct Try: Hashable, Sendable {
    /// The size.
    public let size: Double
    /// The measured value in base units.
    public let value: Double
  }

  /// The relative distance from the target at which the search ends.
  private static let tolerance = 0.05
  private static let mostTries = 6

  private let target: Double
  private let range: ClosedRange<Double>
  private let isWhole: Bool
  /// The measured sizes in order.
  public private(set) var tries: [Try] = []

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - target: The wanted value, in base units; positive.
  ///   - range: The allowed sizes; positive.
  ///   - isWhole: Whether sizes are whole numbers.
  public init(target: Double, range: ClosedRange<Double>, isWhole: Bool) {
    self.target = target
    self.range = range
    self.isWhole = isWhole
  }

  /// Adds the measured value of a size.
  public mutating func add(size: Double, value: Double) {
    tries.append(Try(size: size, value: value))
  }

  /// The measured size whose value is nearest to the target by ratio; nil before the first one.
  public var best: Try? { tries.min { distance($0) < distance($1) } }

  /// Whether the best value is within the tolerance of the target.
  public var hasReached: Bool { best.map { distance($0) <= log(1 + Self.tolerance) } ?? false }

  /// The next size to measure; nil at the end.
  public var next: Double? {
    guard !tries.isEmpty else {
      return rounded((range.lowerBound * range.upperBound).squareRoot())
    }
    guard !hasReached, tries.count < Self.mostTries else { return nil }
    let size = rounded(min(max(guess, range.lowerBound), range.upperBound))
    return tries.contains { $0.size == size } ? nil : size
  }

  private var guess: Double {
    let below = tries.filter { $0.value <= target }.max { $0.size < $1.size }
    let above = tries.filter { $0.value > target && $0.size > below?.size ?? 0 }
      .min { $0.size < $1.size }
    if let below, let above { return between(below, above) }
    guard let nearest = best else { return range.lowerBound }
    let other = tries.filter { $0 != nearest }.min { distance($0) < distance($1) }
    let exponent = other.map { power($0, nearest) } ?? 1
    return nearest.size * pow(target / nearest.value, 1 / exponent)
  }

  private func between(_ low: Try, _ high: Try) -> Double {
    low.size * pow(target / low.value, 1 / power(low, high))
  }

  /// Returns the exponent by which the value grows; bounded, because single launches vary.
  private func power(_ one: Try, _ other: Try) -> Double {
    let exponent = log(other.value / one.value) / log(other.size / one.size)
    return exponent.isFinite ? min(max(exponent, 0.5), 4) : 1
  }

  private func distance(_ one: Try) -> Double {
    one.value > 0 ? abs(log(one.value / target)) : .infinity
  }

  /// Returns a size with four digits, which a command line can repeat.
  private func rounded(_ size: Double) -> Double {
    if isWhole { return size.rounded() }
    let unit = pow(10, (log10(size)).rounded(.down) - 3)
    return (size / unit).rounded() * unit
  }
}
