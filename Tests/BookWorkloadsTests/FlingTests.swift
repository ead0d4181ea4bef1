import Testing

@testable import BookWorkloads

@Suite struct `a fling` {
  /// 100 points at 20 a second with ramps of 2 s: 20 points in each ramp, 60 in 3 s between them.
  let fling = Fling(distance: 100, peak: 20, ramp: 2)

  @Test func `takes the time of its distance at the peak, and one ramp`() {
    #expect(fling.seconds == 7)
  }

  @Test(arguments: [
    (-1.0, 0.0), (0, 0), (1, 5), (2, 20), (3.5, 50), (5, 80), (6, 95), (7, 100), (99, 100),
  ])
  func `is where the time says`(time: Double, position: Double) {
    // In a ramp 10 t² / 2 points: the acceleration is 20 / 2 a second.
    #expect(abs(fling.position(at: time) - position) < 1e-9)
  }

  @Test func `too short for its peak has the same acceleration`() {
    // 10 points at 10 points a second a second: 5 up in 1 s, 5 down in 1 s, peak 10.
    let short = Fling(distance: 10, peak: 20, ramp: 2)
    #expect(abs(short.seconds - 2) < 1e-9)
    #expect(abs(short.peak - 10) < 1e-9)
    #expect(abs(short.position(at: 1) - 5) < 1e-9)
  }

  @Test func `over no distance takes no time`() {
    let none = Fling(distance: 0, peak: 20)
    #expect(none.seconds == 0)
    #expect(none.position(at: 3) == 0)
  }
}
