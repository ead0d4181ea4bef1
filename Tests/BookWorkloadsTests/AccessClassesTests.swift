import CoverCache
import PerfTestSupport
import PerfWorkload
import Testing

@testable import BookWorkloads

struct ClassedSessionTests {
  private func requests(seed: UInt64 = 3) -> [ClassedRequest] {
    ClassedSession.requests(photos: 300, length: 3000, pageWidth: 60, seed: seed)
  }

  @Test func `equal seeds yield equal sessions of the requested length`() {
    #expect(requests().count == 3000)
    #expect(requests() == requests())
    #expect(requests() != requests(seed: 4))
    let one = ClassedSession.requests(photos: 1, length: 5, pageWidth: 6, seed: 1)
    #expect(one.count == 5)
    #expect(one.allSatisfy { $0.photo == 0 || $0.use == .settings })
  }

  @Test func `a session requests thumbnails most often and no settings photo twice`() {
    let uses = Dictionary(grouping: requests(), by: \.use)
    let counts = AccessClass.allCases.map { uses[$0, default: []].count }
    #expect(counts[0] > 5 * counts[1])
    #expect(counts[1] > 0)
    #expect(counts[2] > 0)
    #expect(uses[.grid, default: []].allSatisfy { $0.size.description == "120x120" })
    // 60 x 13 / 6.
    #expect(uses[.page, default: []].allSatisfy { $0.size.description == "60x130" })
    let settings = uses[.settings, default: []]
    #expect(Set(settings.map(\.photo)).count == settings.count)
    let photos = requests().filter { $0.use != .settings }.map(\.photo)
    #expect(photos.allSatisfy { (0..<300).contains($0) })
  }

  private func counters(_ given: [String: ParameterValue]) throws -> [String: Double] {
    let small: [String: ParameterValue] = [
      "photos": .int(100), "requests": .int(1500), "page_width": .int(150), "limit": .int(3),
    ]
    let parameters = try ParameterValues(
      small.merging(given) { $1 }, of: AccessClasses.parameters)
    let counters = try WorkloadRun(AccessClasses.self, parameters, in: try TemporaryFolder())
      .counters
    #expect(Set(counters.keys) == Set(AccessClasses.counters.map(\.name)))
    return counters
  }

  @Test(arguments: AccessClasses.Tiers.allCases, MemoryPolicy.bounded)
  func `the tiers stay below their limit`(tiers: AccessClasses.Tiers, policy: MemoryPolicy) throws {
    let counters = try counters(
      ["tiers": .string(tiers.rawValue), "policy": .string(policy.rawValue)])
    #expect((counters["cache.most_bytes"] ?? .infinity) <= 3 * 1_048_576)
    for name in ["cache.hit", "cache.byte_hit", "classes.grid_hit", "classes.page_hit"] {
      #expect((0...1).contains(counters["\(name)_ratio"] ?? -1))
    }
  }

  @Test func `a policy that evicts large photos first keeps more thumbnails`() throws {
    let lru = try counters(["policy": .string("lru")])
    let aware = try counters(["policy": .string("gdsf")])
    #expect(
      (aware["classes.grid_hit_ratio"] ?? 0) > (lru["classes.grid_hit_ratio"] ?? 1))
    // Sixteen pages of 150 x 325 x 4 bytes would fit, but thumbnails displace them.
    #expect(
      (aware["classes.page_hit_ratio"] ?? 1) < (lru["classes.page_hit_ratio"] ?? 0))
  }

  @Test func `an LRU policy keeps the most recently used photos`() throws {
    for tiers in AccessClasses.Tiers.allCases {
      let counters = try counters(["tiers": .string(tiers.rawValue)])
      #expect(counters["classes.recent_hit_ratio"] == 1)
    }
  }
}
