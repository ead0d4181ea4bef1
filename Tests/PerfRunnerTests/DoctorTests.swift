import PerfModel
import Testing

@testable import PerfRunner

struct DoctorTests {
  private func findings(_ facts: [Environment.Key: String]) -> [String: Doctor.Check] {
    var environment = Environment(facts: [:])
    environment[.cpuCount] = "4"
    for (key, value) in facts { environment[key] = value }
    let doctor = Doctor(
      environment: environment, finder: ProgramFinder(programDirectory: "/", environment: [:]))
    let all = doctor.processors() + doctor.settings()
    return Dictionary(all.map { ($0.subject, $0) }) { first, _ in first }
  }

  @Test(
    arguments: [
      ("1.2", Doctor.Check.State.good), ("1.3", .disturbed),
    ])
  func `a load above three tenths of the CPUs counts as a disturbance`(
    load: String, state: Doctor.Check.State
  ) {
    #expect(findings([.loadAtStart: load])["load"]?.state == state)
  }

  @Test func `an affinity mask is reported, and the load is compared with all CPUs`() {
    let one = findings([.cpuCount: "1", .cpuOnline: "8", .cpuModel: "Seven", .loadAtStart: "2"])
    #expect(one["CPUs"]?.state == .degraded)
    #expect(one["CPUs"]?.detail == "1 x Seven, of 8: an affinity mask excludes the others")
    #expect(one["load"]?.state == .good)
    let all = findings([.cpuModel: "Seven"])
    #expect(all["CPUs"]?.detail == "4 x Seven")
  }

  @Test func `tasks that wait for CPUs count as a disturbance`() {
    #expect(findings([.pressureAtStart: "10.00%"])["waiting for CPUs"]?.state == .good)
    #expect(findings([.pressureAtStart: "10.01%"])["waiting for CPUs"]?.state == .disturbed)
  }

  @Test func `unreadable settings are reported as unknown`() {
    let findings = findings([:])
    for subject in ["turbo", "frequency governor", "address randomisation", "heat"] {
      #expect(findings[subject]?.state == .unknown, "\(subject)")
    }
    #expect(findings["load"] == nil)
  }

  @Test(
    arguments: [
      ("2", Doctor.Check.State.good, "on: "), ("1", .degraded, "on, but"),
      ("0", .degraded, "off"),
      ("7", .unknown, "the kernel's setting is '7'"),
    ])
  func `the state of address randomisation is reported`(
    setting: String, state: Doctor.Check.State, beginning: String
  ) throws {
    let finding = try #require(findings([.addressRandomisation: setting])["address randomisation"])
    #expect(finding.state == state)
    #expect(finding.detail.hasPrefix(beginning))
  }

  @Test func `turbo is reported even without a visible governor`() {
    #expect(findings([.turbo: "on"])["turbo"]?.state == .degraded)
    #expect(findings([.turbo: "off"])["turbo"]?.state == .good)
  }

  @Test func `steal is measured during the check and not since boot`() {
    // user nice system idle iowait irq softirq steal guest: half of all time since boot was stolen.
    let before = CPUTimes("cpu 100 0 0 100 0 0 0 200 50\n")
    #expect(before == CPUTimes("cpu 100 0 0 100 0 0 0 200\n"))
    // Of 100 further ticks, 0, 1 and 2 are stolen.
    let quiet = Doctor.stolen(from: before, to: CPUTimes("cpu 150 0 0 150 0 0 0 200\n"))
    #expect(quiet.state == .good && quiet.detail.hasPrefix("0% "))
    let little = Doctor.stolen(from: before, to: CPUTimes("cpu 150 0 0 149 0 0 0 201\n"))
    #expect(little.state == .good && little.detail.hasPrefix("1% "))
    let much = Doctor.stolen(from: before, to: CPUTimes("cpu 150 0 0 148 0 0 0 202\n"))
    #expect(much.state == .disturbed && much.detail.hasPrefix("2% "))
  }

  @Test(arguments: ["", "cpu 1 2 3", "intr 1 2 3 4 5 6 7 8", "cpu 100 0 0 100 0 0 0 200"])
  func `steal is unknown without steal counts or elapsed time`(text: String) {
    let before = CPUTimes("cpu 100 0 0 100 0 0 0 200")
    #expect(Doctor.stolen(from: before, to: CPUTimes(text)).state == .unknown)
  }
}
