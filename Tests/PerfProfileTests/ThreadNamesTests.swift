import Testing

@testable import PerfProfile

struct ThreadNamesTests {
  private static func thread(_ serial: Int, _ id: Int32, _ name: String) -> Capture.Thread {
    Capture.Thread(serial: serial, id: id, name: name, started: 0, startCPU: 0)
  }

  private static let capture: Capture = {
    var capture = Capture()
    capture.process = 40
    // A shell that executes a compiler, whose pool has a thread with a name and one without.
    capture.threads = [
      thread(1, 40, "sh"), thread(2, 40, "cc1"), thread(3, 41, "pool"), thread(4, 42, "cc1"),
      thread(5, 43, ""),
    ]
    return capture
  }()

  @Test func `threads of the program keep their names`() {
    let names = ThreadNames(Self.capture, isChild: false)
    #expect((1...6).map { names[$0] } == ["sh", "cc1", "pool", "cc1", "thread", "thread"])
  }

  @Test func `threads of a child have the name of the program that the child ran at the time`() {
    let names = ThreadNames(Self.capture, isChild: true)
    #expect(
      (1...5).map { names[$0] } == [
        "sh (child)", "cc1 (child)", "cc1/pool (child)", "cc1 (child)", "cc1/thread (child)",
      ])
  }

  @Test func `threads of a child without a known first thread keep their names`() {
    var capture = Self.capture
    capture.process = 99
    #expect(ThreadNames(capture, isChild: true)[3] == "pool (child)")
  }
}
