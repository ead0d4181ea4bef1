import PerfModel
import Testing

@testable import PerfProfile

/// The marks of samples that the kernel took.
struct MarkedTimesTests {
  private func span(_ name: String, thread: Int = 1, _ times: ClosedRange<UInt64>) -> Capture.Span {
    Capture.Span(
      name: name, thread: thread, frame: nil, began: times.lowerBound, ended: times.upperBound)
  }

  @Test func `a time belongs to the innermost span of its thread`() {
    var capture = Capture()
    // In the order of their ends, as the reader of marks leaves them.
    capture.phases = [
      span("inner", 20...30), span("inner", 30...35), span("outer", 10...40), span("next", 40...50),
    ]
    capture.signposts = [span("load", thread: 2, 0...100)]
    let marks = MarkedTimes(capture)
    for (time, name) in [
      (9, ""), (10, "outer"), (19, "outer"), (20, "inner"), (30, "inner"), (34, "inner"),
      (35, "outer"), (40, "next"), (50, ""),
    ] as [(UInt64, String)] {
      #expect(marks.phase(of: 1, at: time) == name, "\(time)")
    }
    #expect(marks.phase(of: 2, at: 20).isEmpty && marks.signpost(of: 1, at: 20).isEmpty)
    #expect(marks.signpost(of: 2, at: 20) == "load")
  }

  @Test func `of spans that begin together, the one that ends first is the inner one`() {
    var capture = Capture()
    capture.phases = [span("inner", 10...20), span("outer", 10...30)]
    let marks = MarkedTimes(capture)
    #expect([15, 25].map { marks.phase(of: 1, at: $0) } == ["inner", "outer"])
  }

  @Test func `a span that its thread did not begin has no samples`() {
    var capture = Capture()
    capture.phases = [span("own", 10...30)]
    capture.phases.append(
      Capture.Span(
        name: "awaited", thread: 1, frame: nil, began: 5, ended: 40, isDetached: true))
    let marks = MarkedTimes(capture)
    #expect([7, 20, 35].map { marks.phase(of: 1, at: $0) } == ["", "own", ""])
  }

  @Test func `spans that overlap keep the changes in the order of time`() {
    var capture = Capture()
    capture.phases = [span("first", 10...20), span("second", 15...40)]
    let marks = MarkedTimes(capture)
    let names = [12, 18, 30, 41].map { marks.phase(of: 1, at: $0) }
    #expect(names == ["first", "second", "second", ""])
  }

  @Test func `a time within a frame has the frame's number, on each thread`() {
    var capture = Capture()
    capture.intervals = [
      FrameMarks(
        name: "scroll", grid: FrameGrid(start: 0, milliHertz: 60_000), isPaced: true,
        frames: [(3, 100, 120), (4, 130, 150)].map { index, began, ended in
          FrameMarks.Frame(index: index, woken: began, began: began, ended: ended, cpu: 0)
        })
    ]
    let marks = MarkedTimes(capture)
    #expect([99, 100, 120, 125, 131, 151].map { marks.frame(at: $0) } == [nil, 3, 3, nil, 4, nil])
  }

  @Test func `marks get the threads of the kernel's records`() {
    func thread(_ serial: Int, id: Int32, started: UInt64) -> Capture.Thread {
      Capture.Thread(
        serial: serial, id: id, name: "", started: started, startCPU: 0, ended: nil, endCPU: nil)
    }
    var capture = Capture()
    // The kernel uses the id 71 for one thread after the other.
    capture.threads = [
      thread(1, id: 70, started: 0), thread(2, id: 71, started: 10), thread(3, id: 71, started: 50),
    ]
    var agent = Capture()
    agent.agentVersion = 2
    agent.markers = [1: 71, 2: 70, 3: 71, 4: 99]
    agent.phases = [
      span("a", thread: 1, 20...30), span("b", thread: 2, 20...30), span("c", thread: 3, 60...70),
      span("d", thread: 4, 20...30), span("e", thread: 9, 20...30),
    ]
    agent.counters = [Capture.Value(name: "n", thread: 2, time: 5, value: 1)]
    capture.add(marksOf: agent)
    // 0 stands for an unknown thread.
    #expect(capture.phases.map(\.thread) == [2, 1, 3, 0, 0])
    #expect(capture.counters.map(\.thread) == [1])
    #expect(capture.agentVersion == 2)
  }
}
