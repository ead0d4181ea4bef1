/// The slots of an animation's frames, computed with 64-bit integers.
///
/// Vsync k is at `start + floor(k * 10^12 / milliHertz)` nanoseconds, computed from k so that
/// rounding errors do not add up. Frame i with slot s_i and measured cost c_i is ready at
/// r_i = s_i + c_i. The next slot s_(i+1) is the first vsync at or after r_i and later than s_i, so
/// missed slots are skipped.
struct FrameSchedule: Equatable {
  /// The first vsync, in nanoseconds of CLOCK_MONOTONIC.
  let start: UInt64
  /// The refresh rate in refreshes per 1,000 seconds, from 1,000 to 1,000,000 (1 Hz to 1 kHz).
  let milliHertz: UInt64
  /// The number of the next frame's vsync.
  private(set) var vsync: UInt64 = 0

  /// The time of the next frame's slot.
  var slot: UInt64 { time(ofVsync: vsync) }

  /// Returns the time of vsync `k`.
  func time(ofVsync k: UInt64) -> UInt64 {
    // k * 10^12 overflows after 18 million refreshes, so whole thousands of seconds are split off.
    let (whole, rest) = k.quotientAndRemainder(dividingBy: milliHertz)
    return start + whole * 1_000_000_000_000 + rest * 1_000_000_000_000 / milliHertz
  }

  /// Moves to the next frame's slot.
  ///
  /// - Parameter cost: The measured cost of the frame in the current slot, in nanoseconds.
  mutating func advance(cost: UInt64) {
    let ready = slot + cost
    vsync = max(firstVsync(atOrAfter: ready), vsync + 1)
  }

  private func firstVsync(atOrAfter moment: UInt64) -> UInt64 {
    let (whole, rest) = (moment - start).quotientAndRemainder(dividingBy: 1_000_000_000_000)
    var k = whole * milliHertz + rest * milliHertz / 1_000_000_000_000
    while time(ofVsync: k) < moment { k += 1 }
    return k
  }
}
