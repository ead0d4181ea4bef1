import Testing

@testable import PerfWorkload

@Suite struct FrameClockTests {
  private struct Stop: Error, Equatable {}

  @Test func `frames receive increasing times on the grid`() {
    var times: [UInt64] = []
    FrameClock(refresh: 10, paced: false).animate("test", for: .seconds(1)) { frame in
      times.append(frame.nanoseconds)
      #expect(frame.time == .nanoseconds(Int64(frame.nanoseconds)))
    }
    #expect(times.first == 0)
    #expect(times.count <= 10)
    #expect(times.allSatisfy { $0 % 100_000_000 == 0 && $0 < 1_000_000_000 })
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `a paced clock runs frames on the same grid`() {
    var times: [UInt64] = []
    FrameClock(refresh: 1000, paced: true).animate("test", for: .milliseconds(20)) { frame in
      times.append(frame.nanoseconds)
    }
    #expect(times.first == 0)
    #expect((1...20).contains(times.count))
    #expect(times.allSatisfy { $0 % 1_000_000 == 0 && $0 < 20_000_000 })
  }

  @Test func `an animation without duration has no frame`() {
    let clock = FrameClock(refresh: 120, paced: false)
    for duration in [Duration.zero, .seconds(-1), .nanoseconds(-1)] {
      clock.animate("test", for: duration) { _ in Issue.record("there was a frame") }
    }
  }

  @Test func `the condition receives the time of each frame before it runs`() {
    var asked: [Duration] = []
    var frames: [Duration] = []
    FrameClock(refresh: 100, paced: false).animate(
      "test",
      while: { time in
        asked.append(time)
        return asked.count <= 3
      }
    ) { frames.append($0.time) }
    #expect(frames.count == 3)
    #expect(asked.count == 4)
    #expect(asked.prefix(3) == frames[...])
  }

  @Test func `an error in a frame ends the animation with that error`() {
    var count = 0
    #expect(throws: Stop()) {
      try FrameClock(refresh: 100, paced: false).animate("test", for: .seconds(9)) {
        (_) throws(Stop) in
        count += 1
        if count == 2 { throw Stop() }
      }
    }
    #expect(count == 2)
  }

  @Test func `phases, signposts and counters work without the agent`() {
    var result = 0
    FrameClock(refresh: 100, paced: false).animate("test", while: { _ in result == 0 }) { frame in
      result = frame.phase("layout") { Phase(named: "inner").measure { 42 } }
    }
    #expect(result == 42)
    #expect(Signpost("load").measure { 7 } == 7)
    #expect(throws: Stop()) { try Phase("p").measure { () throws(Stop) in throw Stop() } }
    Counter("bytes").set(1)
    Signpost(named: "now").emit(2)
    Startup.initialDisplay()
    Startup.fullDisplay()
  }

  @Test func `a synchronous body in an asynchronous function is measured synchronously`() async {
    // The call compiles without `await`, so samples carry the phase.
    #expect(Phase("sort").measure { 42 } == 42)
  }

  @Test func `asynchronous phases and signposts return the result and error of their body`()
    async throws
  {
    let sum = await Phase("load").measure {
      await Task.yield()
      return await Signpost("span").measure {
        await Task.yield()
        return 42
      }
    }
    #expect(sum == 42)
    await #expect(throws: Stop()) {
      try await Phase("load").measure { () async throws(Stop) in
        await Task.yield()
        throw Stop()
      }
    }
  }
}
