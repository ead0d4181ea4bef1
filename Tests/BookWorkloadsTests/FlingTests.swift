import Testing

@testable import BookWorkloads

struct FlingTests {
  /// 100 points at 20 points per second with ramps of 2 s: 20 points per ramp and 60 in 3 s between
  /// them.
  let fling = Fling(distance: 100, peak: 20, ramp: 2)

  @Test func `the duration is the distance at peak speed plus one ramp`() {
    #expect(fling.seconds == 7)
  }

  @Test(arguments: [
    (-1.0, 0.0), (0, 0), (1, 5), (2, 20), (3.5, 50), (5, 80), (6, 95), (7, 100), (99, 100),
  ])
  func `the position follows from the time`(time: Double, position: Double) {
    // A ramp covers 10 t² / 2 points, because the acceleration is 20 / 2 points per second squared.
    #expect(abs(fling.position(at: time) - position) < 1e-9)
  }

  @Test func `a fling that is too short for its peak has the same acceleration`() {
    // 10 points at 10 points per second squared: 5 in 1 s up, 5 in 1 s down, peak 10.
    let short = Fling(distance: 10, peak: 20, ramp: 2)
    #expect(abs(short.seconds - 2) < 1e-9)
    #expect(abs(short.peak - 10) < 1e-9)
    #expect(abs(short.position(at: 1) - 5) < 1e-9)
  }

  @Test func `a fling over no distance takes no time`() {
    let none = Fling(distance: 0, peak: 20)
    #expect(none.seconds == 0)
    #expect(none.position(at: 3) == 0)
  }
}
