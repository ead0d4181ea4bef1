import Glibc
import Testing

@testable import PerfProfile

struct SamplingSignalTests {
  // glibc's SIGRTMIN is 34 on Linux, where the kernel's first real-time signal is 32.
  @Test(arguments: [
    ("PROF", SIGPROF), ("USR1", SIGUSR1), ("SIGUSR2", SIGUSR2), ("sigvtalrm", SIGVTALRM),
    ("RTMIN", 34), ("RTMIN+3", 37), ("SIGRTMAX", 64), ("RTMAX-14", 50), ("12", 12), ("64", 64),
  ])
  func `a signal is parsed from its name or its number`(name: String, number: Int32) throws {
    #expect(try SamplingSignal(name).number == number)
  }

  @Test(arguments: [
    ("KILL", "no program can handle it"), ("19", "no program can handle it"),
    ("SEGV", "it reports crashes"), ("SIGCHLD", "shells and debuggers use it"),
    ("32", "the C library uses it"), ("33", "the C library uses it"),
    ("TERM", "other programs send it, or it ends the program"),
    ("", "there is no such signal"), ("0", "there is no such signal"),
    ("65", "there is no such signal"), ("RTMIN-1", "there is no such signal"),
    ("RTMIN3", "there is no such signal"), ("RTMAX+1", "there is no such signal"),
    ("RTMIN+99999999999", "there is no such signal"), ("FOO", "there is no such signal"),
    // The smallest 32-bit number, whose absolute value needs more bits.
    ("RTMIN-2147483648", "there is no such signal"),
  ])
  func `a signal that cannot be used is refused with the reason`(
    name: String, reason: String
  ) throws {
    let error = try #require(throws: PerfProfileError.self) { try SamplingSignal(name) }
    #expect(error == .signal(name: name, reason: reason))
    #expect("\(error)".contains("RTMIN+3"))
  }
}
