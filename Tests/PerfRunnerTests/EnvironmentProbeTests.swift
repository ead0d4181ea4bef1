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
  func `the CPU limit is the quota divided by the period`(
    quota: String, period: String, text: String
  ) {
    #expect(EnvironmentProbe.limit(quota, period) == text)
  }

  @Test func `the tightest limit of the control groups is used`() {
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

  @Test func `an unreadable CPU limit is unknown`() {
    #expect(EnvironmentProbe.limit(nil, "100000") == nil)
    #expect(EnvironmentProbe.limit("max", nil) == nil)
    #expect(EnvironmentProbe.limit("100000", "0") == nil)
  }

  @Test(
    arguments: [
      (8, 8, ["cpu.count": "8"]), (2, 8, ["cpu.count": "2", "cpu.online": "8"]), (-1, 8, [:]),
    ] as [(Int, Int, [String: String])])
  func `the CPUs of an affinity mask and of the machine are recorded`(
    allowed: Int, online: Int, facts: [String: String]
  ) {
    var environment = Environment(facts: [:])
    EnvironmentProbe.processors(allowed: allowed, online: online, &environment)
    #expect(environment.facts == facts)
  }

  @Test func `the facts of this machine are printable texts`() throws {
    let environment = EnvironmentProbe(directory: "/", variables: [:]).environment()
    #expect(try #require(environment[.cpuCount].flatMap(Int.init)) > 0)
    #expect(environment.machine.contains("cpu.count="))
    #expect(environment.facts.values.allSatisfy { !$0.isEmpty && !$0.contains("\n") })
    // The root of the file system is not in a checkout.
    #expect(environment[.commit] == nil)
  }

  @Test func `a decreasing steal count has no stolen share`() throws {
    let first = MachineReadings.now().stolen
    let second = MachineReadings.now().stolen
    #expect((first == nil) == (second == nil))
    if let first, let second { #expect(second >= first) }
  }

  @Test func `the number of CPUs is known only if each has a line in /proc/stat`() {
    let whole = "cpu 10 0 0 30 0 0 0 0 0 0"
    let parts = "cpu0 5 0 0 15 0 0 0 0 0 0\ncpu1 5 0 0 15 0 0 0 0 0 0\nintr 7 1\n"
    #expect(CPUTimes("\(whole)\n\(parts)")?.processors == 2)
    #expect(CPUTimes("\(whole)\nintr 7 1\n")?.processors == 0)
  }
}
