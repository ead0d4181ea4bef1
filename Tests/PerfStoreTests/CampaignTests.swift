import GRDB
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfStore

struct CampaignTests {
  private func campaign(_ scenario: String) -> Campaign {
    Campaign(
      started: SampleRuns.firstStart, scenario: scenario, variant: nil, metric: "wall",
      margin: Scenario.Margin(relative: 0.01),
      start: Campaign.State(commit: "1a2b3c4", name: "1a2b3c4"))
  }

  @Test func `the latest campaign of a scenario is returned with its tries`() throws {
    let store = try RunStore.inMemory()
    #expect(try store.campaign() == nil)
    var first = try store.save(campaign("scroll"))
    let second = try store.save(campaign("palette"))
    #expect(first.number == 1 && second.number == 2)
    first.tries.append(
      Campaign.Try(
        because: "less work", decided: SampleRuns.firstStart, level: 0.0013, objection: nil,
        measured: .init(change: -0.03, low: -0.04, high: -0.02, comparison: "c1"),
        claimed: -0.029))
    first.anchor = Campaign.State(commit: "5d6e7f8", name: "try 1")
    #expect(try store.save(first) == first)
    #expect(try store.campaign(of: "scroll") == first)
    #expect(try store.campaign() == second)
    #expect(try store.campaign(of: "search") == nil)
  }

  @Test func `an invalid campaign is reported as damage`() throws {
    let store = try RunStore.inMemory()
    try store.database.write { db in
      try db.execute(sql: "INSERT INTO campaigns VALUES (4, 'scroll', 0, '{')")
    }
    #expect(
      throws: StoreError.damaged(path: ":memory:", detail: "campaign 4 cannot be read")
    ) { try store.campaign() }
  }
}
