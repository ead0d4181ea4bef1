/// The kind of quantity of a number; only units of one dimension convert into each other.
public enum Dimension: String, Sendable, Codable, CaseIterable {
  case time
  case size
  case count
  /// A share of a whole.
  case ratio
  /// Time lost per time, such as hitches per animated second.
  case timeRatio
  case frequency
}

/// A unit of measurement with its factor to the base unit of its dimension.
///
/// Values are stored in base units: nanoseconds, bytes, counts, fractions of one, milliseconds per
/// second and hertz.
public struct Unit: Hashable, Sendable {
  /// The notation, such as `MB` or `ms/s`.
  public let symbol: String
  /// The dimension.
  public let dimension: Dimension
  /// The number of base units in one unit.
  public let factor: Double

  /// Nanoseconds, the base unit of time.
  public static let nanoseconds = Unit(symbol: "ns", dimension: .time, factor: 1)
  /// Microseconds.
  public static let microseconds = Unit(symbol: "us", dimension: .time, factor: 1e3)
  /// Milliseconds.
  public static let milliseconds = Unit(symbol: "ms", dimension: .time, factor: 1e6)
  /// Seconds.
  public static let seconds = Unit(symbol: "s", dimension: .time, factor: 1e9)
  /// Bytes, the base unit of size.
  public static let bytes = Unit(symbol: "B", dimension: .size, factor: 1)
  /// Megabytes of 1,000,000 bytes.
  public static let megabytes = Unit(symbol: "MB", dimension: .size, factor: 1e6)
  /// A count.
  public static let count = Unit(symbol: "count", dimension: .count, factor: 1)
  /// A fraction of one.
  public static let ratio = Unit(symbol: "ratio", dimension: .ratio, factor: 1)
  /// Hundredths of one.
  public static let percent = Unit(symbol: "%", dimension: .ratio, factor: 0.01)
  /// Milliseconds lost per second.
  public static let millisecondsPerSecond = Unit(symbol: "ms/s", dimension: .timeRatio, factor: 1)
  /// Frames per second.
  public static let framesPerSecond = Unit(symbol: "fps", dimension: .frequency, factor: 1)

  /// Every unit of files, base units first.
  public static let all: [Unit] = [
    .nanoseconds, .microseconds, .milliseconds, .seconds,
    Unit(symbol: "min", dimension: .time, factor: 60e9),
    .bytes,
    Unit(symbol: "kB", dimension: .size, factor: 1e3), .megabytes,
    Unit(symbol: "GB", dimension: .size, factor: 1e9),
    Unit(symbol: "KiB", dimension: .size, factor: 1024),
    Unit(symbol: "MiB", dimension: .size, factor: 1_048_576),
    Unit(symbol: "GiB", dimension: .size, factor: 1_073_741_824),
    .count, .ratio, .percent, .millisecondsPerSecond, .framesPerSecond,
    Unit(symbol: "Hz", dimension: .frequency, factor: 1),
  ]

  /// Returns the unit with a symbol, or nil; `µs` is read as `us`.
  public static func named(_ symbol: String) -> Unit? {
    let symbol = symbol == "µs" || symbol == "μs" ? "us" : symbol
    return all.first { $0.symbol == symbol }
  }

  /// Returns the base unit of a dimension.
  public static func base(of dimension: Dimension) -> Unit {
    switch dimension {
    case .time: .nanoseconds
    case .size: .bytes
    case .count: .count
    case .ratio: .ratio
    case .timeRatio: .millisecondsPerSecond
    case .frequency: .framesPerSecond
    }
  }
}
