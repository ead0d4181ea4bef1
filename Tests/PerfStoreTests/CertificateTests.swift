import GRDB
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct CertificateTests {
  private func certificate(_ machine: String, after milliseconds: Int64 = 0) -> NoiseCertificate {
    NoiseCertificate(
      machine: machine,
      certified: Timestamp(milliseconds: SampleRuns.firstStart.milliseconds + milliseconds),
      findings: [
        .init(change: .nothing, told: 0, comparisons: 16),
        .init(change: .init(.cpuTime, size: 0.03), told: 8, comparisons: 8),
      ],
      smallest: .init(.cpuTime, size: 0.03), duration: 360_000_000_000, launches: 2_900,
      seed: .max, version: "0.1.0")
  }

  @Test func `the latest noise certificate of a machine is returned`() throws {
    let store = try RunStore.inMemory()
    let latest = certificate("host=one", after: 5)
    for one in [latest, certificate("host=one", after: 1), certificate("host=two", after: 9)] {
      try store.append(one)
    }
    #expect(try store.certificate(of: "host=one") == latest)
    #expect(try store.certificate(of: "host=three") == nil)
  }

  @Test func `an invalid noise certificate is reported as damage`() throws {
    let store = try RunStore.inMemory()
    try store.database.write { db in
      try db.execute(
        sql: "INSERT INTO certificates (machine, certified_ms, payload) VALUES ('host=one', 0, '{')"
      )
    }
    #expect(
      throws: StoreError.damaged(path: ":memory:", detail: "a noise certificate cannot be read")
    ) { try store.certificate(of: "host=one") }
  }
}
