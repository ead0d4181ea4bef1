import PerfModel
import PerfRunner
import PerfTestSupport
import Synchronization
import Testing

@testable import perfkit

/// Lines of progress on a terminal and in a pipe, by a clock that the tests set.
struct ProgressTests {
  private final class Clock: Sendable {
    private let start = ContinuousClock.now
    private let seconds = Mutex(0)

    var now: ContinuousClock.Instant { start + .seconds(seconds.withLock { $0 }) }

    func set(_ time: Int) { seconds.withLock { $0 = time } }
  }

  private let clock = Clock()
  private let recorded = TestCommand.RecordedOutput()

  private func console(isInteractive: Bool) -> Console {
    Console(
      output: { [recorded] in
        recorded.write(String(decoding: $0, as: UTF8.self))
        return 0
      }, errors: { [recorded] in recorded.error($0) }, isInteractive: isInteractive, width: 200,
      progressWidth: 40, clock: { [clock] in clock.now })
  }

  @Test func `a pipe gets a line of progress every ten seconds until the result`() {
    let console = console(isInteractive: false)
    console.bar { "launch 1 of 3" }
    clock.set(9)
    console.bar { "launch 2 of 3" }
    #expect(recorded.errors == "")
    clock.set(10)
    console.bar { "launch 3 of 3" }
    #expect(recorded.errors == "launch 3 of 3\n")
    // Nothing happens for a long time: the timer repeats the line, with the time left at that time.
    clock.set(19)
    console.tick()
    clock.set(20)
    console.tick()
    #expect(recorded.errors == "launch 3 of 3\nlaunch 3 of 3\n")
    console.write("the result\n")
    clock.set(60)
    console.tick()
    #expect(recorded.errors == "launch 3 of 3\nlaunch 3 of 3\n")
  }

  @Test func `a terminal shows each line of progress at once, within its width`() {
    let console = console(isInteractive: true)
    console.bar { "launch 1 of 2" }
    #expect(recorded.errors == "\r\u{1B}[Klaunch 1 of 2")
    console.bar { String(repeating: "x", count: 100) }
    // A terminal of 40 columns breaks a line of 40 characters.
    #expect(recorded.errors.hasSuffix("\r\u{1B}[K" + String(repeating: "x", count: 39)))
    console.error("a message")
    #expect(recorded.errors.hasSuffix("\r\u{1B}[Ka message\n"))
  }

  @Test func `a message is broken between words at the width of the terminal`() {
    let command = "  perfkit diff main WORKTREE --scenario scroll-1000"
    console(isInteractive: true).error(
      "perfkit: the scenario has no variant of this name.\n\(command)\n" + command.dropFirst(2))
    #expect(
      recorded.errors == """
        perfkit: the scenario has no variant of
        this name.
        \(command)
        perfkit diff main WORKTREE --scenario
        scroll-1000

        """)
  }

  @Test func `the time left of a run ends with the limit of its time`() {
    let console = console(isInteractive: false)
    var run = RunDisplay(
      console: console, title: "work", runs: 1, timeLeft: .milliseconds(500), isVerbose: false)
    // Launches of a few nanoseconds would take hours.
    let total = 10_000_000_000_000
    run.show(.launching(index: 0, total: total, isWarmup: false))
    run.show(
      .launched(Launch(index: 0, isWarmup: false, status: .completed, offset: 0, metrics: [:])))
    clock.set(10)
    run.show(.launching(index: 1, total: total, isWarmup: false))
    #expect(recorded.errors.hasSuffix("launch 2 of \(total), 1 s left\n"), "\(recorded.errors)")
  }

  @Test func `the time left is in seconds below two minutes, and in minutes above`() {
    #expect(TimeLeft(nil).words == "")
    // Less than a second passes between the forecast and the words.
    #expect(TimeLeft(.milliseconds(26_500)).words == ", 27 s left")
    #expect(TimeLeft(.milliseconds(600_500), prefix: "at most ").words == ", at most 11 min left")
  }
}
