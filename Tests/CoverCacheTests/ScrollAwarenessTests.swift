import CoverCache
import Testing

@Suite struct `scroll awareness` {
  /// A velocity with its time in milliseconds, and whether covers may be loaded then.
  typealias Moment = (velocity: Double, time: Int, mayLoad: Bool)

  private func expect(_ moments: [Moment]) {
    var scroll = ScrollAwareness()
    for (velocity, time, mayLoad) in moments {
      let said = scroll.update(velocity: velocity, at: .milliseconds(time))
      #expect(said == mayLoad, "\(velocity) at \(time) ms")
      #expect(scroll.isFast == !mayLoad)
    }
  }

  @Test func `scrolling is fast from 50 points per second until it is below 10 for 0.3 s`() {
    expect([
      (50, 0, true), (51, 10, false),
      // Between the thresholds nothing changes.
      (10, 20, false), (9, 100, false), (0, 399, false), (0, 400, true), (49, 410, true),
    ])
  }

  @Test func `the scroll direction does not matter`() {
    expect([(-4000, 0, false), (-4000, 1000, false), (-5, 1100, false), (-5, 1400, true)])
  }

  @Test func `a new fling restarts the delay`() {
    expect([
      (100, 0, false), (0, 10, false), (20, 200, false), (0, 320, false), (0, 619, false),
      (0, 620, true),
    ])
  }

  @Test func `a clock that goes back does not end fast scrolling`() {
    expect([(100, 1000, false), (0, 1000, false), (0, 0, false), (0, 1300, true)])
  }
}
