import CoverCache
import Testing

@Suite struct `a simulated network` {
  private func network(
    _ seed: UInt64, clock: LoadClock,
    _ change: (inout SimulatedNetwork.Behaviour) -> Void = { _ in }
  ) -> SimulatedNetwork {
    var covers: [String: [UInt8]] = [:]
    for key in 0..<2000 { covers["\(key)"] = [1, 2, 3] }
    var behaviour = SimulatedNetwork.Behaviour()
    change(&behaviour)
    return SimulatedNetwork(
      origin: GatedSource(covers, isOpen: true), behaviour: behaviour, seed: seed, clock: clock)
  }

  @Test func `simulated latencies have the configured distribution`() throws {
    let clock = ManualLoadClock()
    let network = network(1, clock: clock.clock) { $0.failurePercent = 0 }
    for key in 0..<2000 { _ = try network.encodedCover(for: "\(key)") }
    let late = clock.slept.map { Double($0.components.attoseconds) / 1e15 }.sorted()
    // The median of 2,000 is within 3 standard errors, 1.25 * 0.4 / sqrt(2000) = 1.1 %, of 120 ms.
    // A normal distribution has 97.7 % below two standard deviations: 120 * exp(0.8) = 267 ms.
    #expect(abs(late[1000] - 120) < 4.1)
    #expect(abs(Double(late.count { $0 < 267 }) / 2000 - 0.977) < 0.011)
  }

  @Test func `simulated failures have the configured rates and depend on the seed`() {
    func fates(_ seed: UInt64) -> [CoverError?] {
      let network = network(seed, clock: ManualLoadClock().clock) { $0.overloadPercent = 10 }
      return (0..<2000).map { key -> CoverError? in
        do throws(CoverError) {
          _ = try network.encodedCover(for: "\(key)")
          return nil
        } catch {
          return error
        }
      }
    }
    let first = fates(3)
    #expect(first == fates(3))
    #expect(first != fates(4))
    // 5 % and 10 % of 2,000, within 3 standard deviations: 10 and 13.
    let failed = first.count { if case .unreachable = $0 { true } else { false } }
    let overloaded = first.count { $0?.retryAfter == .seconds(2) }
    #expect(abs(failed - 100) < 30)
    #expect(abs(overloaded - 200) < 41)
  }

  @Test func `a simulated network counts duplicate requests`() throws {
    let network = network(1, clock: ManualLoadClock().clock) { $0.failurePercent = 0 }
    for key in ["1", "2", "1"] { _ = try network.encodedCover(for: key) }
    #expect(network.metrics.duplicateCount == 1)
    #expect(network.metrics.highestConcurrency == 1)
  }
}
