import PerfModel
import Testing

@testable import PerfStatistics

@Suite struct `A selftest` {
  /// Returns a record with this number of comparisons; the function decides whether a change is
  /// found.
  private func record(
    _ count: Int, isFound: (_ change: InjectedChange, _ earlier: Int) -> Bool
  ) -> SelftestRecord {
    var record = SelftestRecord()
    while record.trials.count < count {
      let change = record.next
      let earlier = record.trials.count { $0.change == change }
      record.add(
        .init(change: change, isFound: isFound(change, earlier), estimate: change.size, pairs: 11))
    }
    return record
  }

  @Test func `a selftest tries each change before it repeats any for the third time`() {
    let changes = Set(record(9) { _, _ in true }.trials.map(\.change))
    #expect(changes == Set(InjectedChange.cpuTimes + [.nothing, .memory, .frames]))
  }

  @Test func `a selftest repeats the smallest change found and counts only the repetitions`() {
    // Changes of 3 % and more are found; the second comparison of 3 % is the first that counts.
    let record = record(33) { change, _ in change.size >= 0.03 }
    #expect(record.smallest == InjectedChange.cpuTimes[2])
    let later = record.trials.dropFirst(9)
    #expect(later.count { $0.change == InjectedChange.cpuTimes[2] } == 8)
    #expect(later.count { $0.change == .nothing } == 8)
    #expect(later.count { $0.change == .memory } == 4)
    #expect(later.count { $0.change == .frames } == 4)
    let finding = record.findings.first { $0.change == record.smallest }
    #expect(finding == .init(change: InjectedChange.cpuTimes[2], told: 8, comparisons: 8))
    #expect(record.findings[0] == .init(change: .nothing, told: 0, comparisons: 10))
    #expect(record.conclusion == .kept)
  }

  @Test func `a selftest moves to the next larger change if the smallest is missed`() {
    // 1 % is found by chance in its first comparison; 2 % is always found.
    let record = record(21) { change, earlier in
      change.size >= 0.02 || change.size == 0.01 && earlier == 0
    }
    #expect(record.smallest == InjectedChange.cpuTimes[1])
    let one = record.findings.first { $0.change == InjectedChange.cpuTimes[0] }
    #expect(one == .init(change: InjectedChange.cpuTimes[0], told: 0, comparisons: 1))
  }

  @Test func `a selftest has no conclusion from too few comparisons`() {
    guard case .tooFew = record(8, isFound: { _, _ in true }).conclusion else {
      Issue.record("eight comparisons lack changes")
      return
    }
    // Nine comparisons contain each change, but no repetition of the smallest.
    guard case .tooFew = record(9, isFound: { change, _ in change.size > 0 }).conclusion else {
      Issue.record("nothing was confirmed")
      return
    }
  }

  @Test func `a selftest is broken if even the largest change is not found`() {
    let record = record(21) { _, _ in false }
    #expect(record.smallest == nil)
    guard case .broken(let reasons) = record.conclusion else {
      Issue.record("nothing was found")
      return
    }
    #expect(reasons.contains { $0.contains("even 10% of CPU time was found in fewer than") })
    // Three of three were missed: the upper limit is 1 - 0.05^(1/3) = 0.63, so 95 % is excluded.
    #expect(reasons.contains("5% of memory was found in only 0 of 3 comparisons"))
  }

  @Test func `a selftest is broken by more false alarms than an error of 2 percent explains`() {
    // One of ten has a lower limit of 0.0025, three of ten of 0.067 (Clopper and Pearson's table).
    let few = record(33) { change, earlier in
      change.size >= 0.02 || change.size == 0 && earlier == 4
    }
    #expect(few.conclusion == .kept)
    let many = record(33) { change, earlier in
      change.size >= 0.02 || change.size == 0 && earlier > 6
    }
    #expect(
      many.conclusion == .broken(["3 of 10 comparisons without a change raised a false alarm"]))
  }

  @Test func `a selftest judges a change with the error of one of five gating metrics`() throws {
    for change in InjectedChange.cpuTimes + [.memory, .frames] {
      let policy = SelftestRecord.policy(of: change)
      #expect(policy.metrics.count == 1)
      #expect(change.metric.map { policy.margin(of: $0) } == change.margin)
    }
    #expect(SelftestRecord.policy(of: .nothing).metrics.count == 5)
  }

  @Test func `59 comparisons without a miss show a detection rate of 95 percent`() {
    // 0.95^58 = 0.0510, 0.95^59 = 0.0485.
    #expect(SelftestConclusion.comparisonsNeeded(toShow: 0.95) == 59)
    #expect(SelftestConclusion.comparisonsNeeded(toShow: 0.5) == 5)
  }
}
