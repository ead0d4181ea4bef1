import PerfModel
import PerfTestSupport
import Testing

struct EnvironmentTests {
  private let base = SampleRuns.environment()

  private func changed(_ key: Environment.Key, _ value: String?) -> Environment {
    var environment = base
    environment[key] = value
    return environment
  }

  @Test func `an environment does not differ from itself`() {
    #expect(base.differences(to: base).isEmpty)
  }

  @Test(
    arguments: [
      (.cpuModel, "Another CPU"), (.cpuCount, "4"), (.kernel, "6.19.5"),
      (.toolchain, "Swift 6.4"), (.configuration, "debug"),
    ] as [(Environment.Key, String)])
  func `some differences void a comparison`(key: Environment.Key, value: String) {
    #expect(
      base.differences(to: changed(key, value)) == [
        .init(key: key.rawValue, base: base[key], candidate: value, voids: true)
      ])
  }

  @Test func `a run under an affinity mask is another machine's, which says of how many CPUs`() {
    var masked = changed(.cpuCount, "1")
    masked[.cpuOnline] = base[.cpuCount]
    #expect(
      base.differences(to: masked) == [
        .init(key: "cpu.count", base: base[.cpuCount], candidate: "1", voids: true),
        .init(key: "cpu.online", base: nil, candidate: base[.cpuCount], voids: false),
      ])
    #expect(masked.machine != base.machine)
  }

  @Test func `builds by other flags cannot be compared`() {
    let fast = changed(.buildFlags, "cc -O2 work.c")
    let slow = changed(.buildFlags, "cc -O0 work.c")
    #expect(
      fast.differences(to: slow) == [
        .init(key: "build.flags", base: "cc -O2 work.c", candidate: "cc -O0 work.c", voids: true)
      ])
  }

  @Test(
    arguments: [(.governor, "performance"), (.turbo, "off"), (.memoryLimit, "1 GB")]
      as [(
        Environment.Key, String
      )])
  func `what is unknown on one side differs without voiding`(key: Environment.Key, value: String) {
    #expect(base[key] == nil)
    #expect(
      base.differences(to: changed(key, value)) == [
        .init(key: key.rawValue, base: nil, candidate: value, voids: false)
      ])
    #expect(
      changed(key, value).differences(to: base) == [
        .init(key: key.rawValue, base: value, candidate: nil, voids: false)
      ])
    #expect(changed(key, value).differences(to: changed(key, "other")).map(\.voids) == [true])
  }

  @Test(arguments: ["6.18.6", "6.18", "6.18.0-rc1"])
  func `of the kernel two numbers count`(version: String) {
    #expect(base.differences(to: changed(.kernel, version)).isEmpty)
  }

  @Test(
    arguments: [
      .loadAtStart, .stealAtStart, .pressureAtStart, .temperatureAtStart, .throttleCount, .commit,
      .dirty, .buildIdentity,
    ] as [Environment.Key])
  func `what changes from run to run is no difference`(key: Environment.Key) {
    #expect(base.differences(to: changed(key, "something else")).isEmpty)
  }

  @Test func `a machine is the same whatever it measures, and another with another CPU`() {
    #expect(changed(.loadAtStart, "9").machine == base.machine)
    #expect(changed(.toolchain, "Swift 9").machine == base.machine)
    #expect(changed(.kernel, (base[.kernel] ?? "") + ".1").machine == base.machine)
    #expect(changed(.cpuModel, "Another CPU").machine != base.machine)
    #expect(changed(.governor, "performance").machine != base.machine)
  }

  @Test func `voiding differences come first`() {
    var candidate = changed(.host, "other")
    candidate[.toolchain] = "Swift 6.4"
    candidate[.dataset] = "v2"
    #expect(base.differences(to: candidate).map(\.key) == ["toolchain", "host", "dataset"])
  }
}
