internal import ArgumentParser
internal import PerfModel

/// A duration on the command line, such as `90s` or `5min`.
struct DurationArgument: ExpressibleByArgument {
  /// The duration in nanoseconds.
  let nanoseconds: UInt64

  var defaultValueDescription: String { NumberFormat.human(Double(nanoseconds), .time) }

  init(_ nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  init?(argument: String) {
    guard let quantity = Quantity.parse(argument), quantity.unit.dimension == .time,
      quantity.baseValue >= 0, quantity.baseValue < 1e18
    else { return nil }
    nanoseconds = UInt64(quantity.baseValue)
  }
}
