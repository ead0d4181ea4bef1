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
  func `differences of the machine or the build void a comparison`(
    key: Environment.Key, value: String
  ) {
    #expect(
      base.differences(to: changed(key, value)) == [
        .init(key: key.rawValue, base: base[key], candidate: value, voids: true)
      ])
  }

  @Test func `an affinity mask makes a difference in the number of CPUs`() {
    var masked = changed(.cpuCount, "1")
    masked[.cpuOnline] = base[.cpuCount]
    #expect(
      base.differences(to: masked) == [
        .init(key: "cpu.count", base: base[.cpuCount], candidate: "1", voids: true),
        .init(key: "cpu.online", base: nil, candidate: base[.cpuCount], voids: false),
      ])
    #expect(masked.machine != base.machine)
  }

  @Test func `builds with different flags cannot be compared`() {
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
  func `a fact that is unknown on one side is a difference that does not void`(
    key: Environment.Key, value: String
  ) {
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
  func `only two numbers of the kernel version count`(version: String) {
    #expect(base.differences(to: changed(.kernel, version)).isEmpty)
  }

  @Test(
    arguments: [
      .loadAtStart, .stealAtStart, .pressureAtStart, .temperatureAtStart, .throttleCount, .commit,
      .dirty, .buildIdentity, .conditions, .launching, .agentIdentity, .commandFiles,
      .arguments,
    ] as [Environment.Key])
  func `facts that change between runs are no differences`(key: Environment.Key) {
    #expect(base.differences(to: changed(key, "something else")).isEmpty)
  }

  @Test func `the identity of a machine depends on its CPU and not on the build`() {
    #expect(changed(.loadAtStart, "9").machine == base.machine)
    #expect(changed(.toolchain, "Swift 9").machine == base.machine)
    #expect(changed(.kernel, (base[.kernel] ?? "") + ".1").machine == base.machine)
    #expect(changed(.cpuModel, "Another CPU").machine != base.machine)
    #expect(changed(.governor, "performance").machine != base.machine)
  }

  @Test func `voiding differences are listed first`() {
    var candidate = changed(.host, "other")
    candidate[.toolchain] = "Swift 6.4"
    candidate[.dataset] = "v2"
    #expect(base.differences(to: candidate).map(\.key) == ["toolchain", "host", "dataset"])
  }
}
