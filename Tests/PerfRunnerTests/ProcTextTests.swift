import Glibc
import Testing

@testable import PerfRunner

struct ProcTextTests {
  @Test func `values of /proc are found by their full key`() {
    let text = "nonvoluntary_ctxt_switches:\t5\nvoluntary_ctxt_switches:\t7\nVmHWM:\t  12 kB\n"
    #expect(ProcText.value(of: "voluntary_ctxt_switches", in: text) == 7)
    #expect(ProcText.kilobytes(of: "VmHWM", in: text) == 12288)
    #expect(ProcText.value(of: "VmRSS", in: text) == nil)
  }

  @Test func `a program's name may contain parentheses and spaces`() {
    let fields = ProcText.fieldsBehindName("42 (a) b (c)) S 1 42 42 0 -1 4194560 17 0 3 0")
    // The state is the first field after the name; minflt is the eighth.
    #expect(fields.first == "S")
    #expect(fields[7] == "17")
    #expect(fields[9] == "3")
  }

  @Test func `the readings of the test process are plausible`() throws {
    let readings = ProcessReadings(of: getpid())
    #expect(try #require(readings.cpu) > 0)
    #expect(try #require(readings.resident) > 1_000_000)
    #expect(try #require(readings.minorFaults) > 0)
    #expect(ProcessReadings.residentMemory(of: getpid()) != nil)
    #expect(ProcessReadings.residentMemory(of: -1) == nil)
  }
}
