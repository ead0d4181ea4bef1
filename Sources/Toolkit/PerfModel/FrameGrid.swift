/// The refreshes of an animated interval: vsync k is at `start + floor(k * 10^12 / milliHertz)` ns.
public struct FrameGrid: Hashable, Sendable {
  /// The first vsync, in nanoseconds.
  public let start: UInt64
  /// Refreshes per thousand seconds: 120,000 at 120 Hz.
  public let milliHertz: UInt64

  /// Creates a grid.
  ///
  /// - Precondition: `milliHertz` is from 1,000 to 1,000,000 (1 Hz to 1 kHz).
  public init(start: UInt64, milliHertz: UInt64) {
    precondition((1000...1_000_000).contains(milliHertz), "a refresh rate is from 1 Hz to 1 kHz")
    self.start = start
    self.milliHertz = milliHertz
  }

  /// The refresh period in nanoseconds, not rounded.
  public var period: Double { 1e12 / Double(milliHertz) }

  /// Returns the time of vsync `k`, computed from k so that rounding does not accumulate.
  public func time(ofVsync k: UInt64) -> UInt64 {
    // k * 10^12 overflows 64 bits after 18 million refreshes; split off whole thousands of seconds.
    let (whole, rest) = k.quotientAndRemainder(dividingBy: milliHertz)
    return start + whole * 1_000_000_000_000 + rest * 1_000_000_000_000 / milliHertz
  }

  /// Returns the number of the first vsync at or after a time; 0 for times before the start.
  public func firstVsync(atOrAfter time: UInt64) -> UInt64 {
    guard time > start else { return 0 }
    let (whole, rest) = (time - start).quotientAndRemainder(dividingBy: 1_000_000_000_000)
    var k = whole * milliHertz + rest * milliHertz / 1_000_000_000_000
    while self.time(ofVsync: k) < time { k += 1 }
    return k
  }
}
