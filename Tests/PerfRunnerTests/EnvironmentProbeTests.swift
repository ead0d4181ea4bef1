import Foundation
import Glibc
import PerfModel
import Testing

@testable import PerfRunner

struct EnvironmentProbeTests {
  @Test(arguments: [
    ("150000", "100000", "1.5 CPUs"), ("max", "100000", "none"), ("-1", "100000", "none"),
    ("200000", "100000", "2 CPUs"),
  ])
  func `the CPU limit is quota over period`(quota: String, period: String, text: String) {
    #expect(EnvironmentProbe.limit(quota, period) == text)
  }

  @Test func `the tightest limit of the control groups around a process counts`() {
    let text = "1:name=systemd:/other\n0::/system.slice/runner.service\n"
    let groups = ["/groups/system.slice/runner.service", "/groups/system.slice", "/groups"]
    #expect(EnvironmentProbe.groups(text, in: "/groups") == groups)
    #expect(EnvironmentProbe.groups("0::/\n", in: "/groups") == ["/groups"])
    #expect(EnvironmentProbe.groups(nil, in: "/groups") == ["/groups"])
    let limits = ["max 100000", "150000 100000", "100000 50000"]
    #expect(EnvironmentProbe.limit(ofGroups: limits) == "1.5 CPUs")
    #expect(EnvironmentProbe.limit(ofGroups: ["max 100000", "max 100000"]) == "none")
    #expect(EnvironmentProbe.limit(ofGroups: []) == nil)
  }

  @Test func `a CPU limit that cannot be read is unknown`() {
    #expect(EnvironmentProbe.limit(nil, "100000") == nil)
    #expect(EnvironmentProbe.limit("max", nil) == nil)
    #expect(EnvironmentProbe.limit("100000", "0") == nil)
  }

  @Test(
    arguments: [
      (8, 8, ["cpu.count": "8"]), (2, 8, ["cpu.count": "2", "cpu.online": "8"]), (-1, 8, [:]),
    ] as [(Int, Int, [String: String])])
  func `the CPUs that a mask leaves count, beside those of the machine`(
    allowed: Int, online: Int, facts: [String: String]
  ) {
    var environment = Environment(facts: [:])
    EnvironmentProbe.processors(allowed: allowed, online: online, &environment)
    #expect(environment.facts == facts)
  }

  @Test func `this machine's facts are words that a report can show`() throws {
    let environment = EnvironmentProbe(directory: "/", variables: [:]).environment()
    #expect(try #require(environment[.cpuCount].flatMap(Int.init)) > 0)
    #expect(environment.machine.contains("cpu.count="))
    #expect(environment.facts.values.allSatisfy { !$0.isEmpty && !$0.contains("\n") })
    // No checkout is at the root of a file system.
    #expect(environment[.commit] == nil)
  }

  @Test func `what the host took does not shrink`() throws {
    let first = MachineReadings.now().stolen
    let second = MachineReadings.now().stolen
    #expect((first == nil) == (second == nil))
    if let first, let second { #expect(second >= first) }
  }

  @Test func `ticks are told apart by CPU only where each has its line`() {
    let whole = "cpu 10 0 0 30 0 0 0 0 0 0"
    let parts = "cpu0 5 0 0 15 0 0 0 0 0 0\ncpu1 5 0 0 15 0 0 0 0 0 0\nintr 7 1\n"
    #expect(CPUTimes("\(whole)\n\(parts)")?.processors == 2)
    #expect(CPUTimes("\(whole)\nintr 7 1\n")?.processors == 0)
  }
}
