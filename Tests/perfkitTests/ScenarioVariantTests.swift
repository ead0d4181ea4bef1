import Dispatch
import Foundation
import PerfGate
import PerfModel
import PerfScenario
import PerfTestSupport
import Synchronization
import Testing

@testable import perfkit

/// Every variant of every scenario of the project: one small launch each, without samples.
struct ScenarioVariantTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Scenarios").path

  /// Parameters that make a launch smaller than the scenario's small set.
  ///
  /// The numbers of books and works differ, so that no two concurrent scenarios open the same library.
  private static let smaller: [String: [String]] = [
    "ablation-ladder": ["sizes=small", "books=35", "rest=0.1"],
    "access-classes": [
      "photos=60", "requests=200", "page_width=40", "limit=1", "objects=20",
    ],
    "background-mix": [
      "sizes=small", "books=20", "seconds=0.3", "width=80", "frame_width=80", "results=2000",
    ],
    "bulk-import": ["books=100"],
    "cache-thrash": ["requests=200", "books=60"],
    "cache-tuning": [
      "photos=60", "requests=400", "page_width=40", "limit=1", "objects=20",
    ],
    "cache-warming": ["sizes=small", "books=6"],
    "cold-start": ["sizes=small", "books=21", "page_cache=warm"],
    "disk-cache": ["books=40", "requests=80"],
    "drag-updates": ["events=30", "width=344", "height=258"],
    "edition-score": ["works=100", "scrolls=1", "updates=20"],
    "filter-while-scroll": ["works=210", "interval=20"],
    "jetsam-crash": ["covers=20", "width=200"],
    "library-paging": ["works=400", "fling=200000"],
    "memory-pressure": ["sizes=small", "books=31", "seconds=2.2"],
    "network-fault": ["books=6", "speed=100"],
    "offline-scans": [
      "scans=6", "interval=1", "away_from=1", "away_for=3", "idle=2", "speed=100",
    ],
    "oversize-cost": ["width=300", "limit=1"],
    "palette-cache": ["sizes=small", "books=30", "requests=60"],
    "palette-extract": ["width=48", "rounds=1"],
    "prefetch-sweep": ["sizes=small", "books=40", "seconds=0.4", "sorted_after=0.2"],
    "scan-stream": [
      "events=12", "interval=0.1", "pause=0", "drops=1", "heartbeat=2", "longest=20",
    ],
    "scroll-1000": ["sizes=small", "books=33", "fling=20000"],
    "self-overhead": ["sizes=small", "books=34", "fling=20000"],
    "soak": ["sizes=small", "books=22", "seconds=0.6", "distance=400"],
    "sort-lines": [],
    "store-query": ["works=200", "views=10"],
    "thermal-ladder": ["sizes=small", "books=23", "stage=0.05"],
  ]

  /// Metrics of budgets that some variants never have: a variant without a handler frees no memory, and
  /// one without a cache tier answers nothing from memory.
  private static let absent: [String: Set<String>] = [
    "memory-pressure:naive": ["pressure.reclaim_hitch_time"],
    "memory-pressure:crash": ["pressure.reclaim_hitch_time"],
    "palette-cache:uncached": ["palettes.memory_time"],
    "palette-cache:naive": ["palettes.memory_time"],
  ]

  /// Runs a variant and returns its errors.
  private static func complaints(
    of scenario: String, _ variant: String, in perfkit: TestCommand
  ) -> [String] {
    let sets = (smaller[scenario] ?? []).flatMap { ["--set", $0] }
    let result = perfkit.run(
      [
        "run", scenario, "--variant", variant, "--quick", "--iterations", "1", "--warmup", "0",
        "--no-profile", "--no-report", "--format", "json",
      ] + sets)
    guard
      let run = try? JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any],
      let launches = run["iterations"] as? [[String: Any]],
      let budgets = run["budgets"] as? [[String: Any]]
    else { return ["\(result.status): \(result.errors)"] }
    let statuses = launches.compactMap { $0["status"] as? String }
    guard statuses == ["completed"] else { return ["\(statuses): \(result.errors)"] }
    return budgets.filter { !($0["value"] is Double) }
      .compactMap { $0["metric"] as? String }
      .filter { absent["\(scenario):\(variant)"]?.contains($0) != true }
      .map { "no value of \($0)" }
  }

  @Test func `every variant of every scenario runs and has values for its budgets`() throws {
    let perfkit = try TestCommand()
    try FileManager.default.removeItem(atPath: perfkit.folder("Scenarios"))
    try FileManager.default.createSymbolicLink(
      atPath: perfkit.folder("Scenarios"), withDestinationPath: Self.folder)
    let scenarios = try ScenarioLibrary(folder: Self.folder).entries().map { entry in
      try entry.result.get().scenario
    }
    // A scenario without an entry would run for minutes.
    #expect(Set(scenarios.map(\.name)) == Set(Self.smaller.keys))
    let jobs = scenarios.flatMap { scenario in
      scenario.variants.map { (scenario.name, $0.name) }
    }
    let complaints = Mutex<[String]>([])
    // Scenarios run concurrently; the variants of one share a data set and run one after the other.
    let groups = Dictionary(grouping: jobs) { $0.0 }.sorted { $0.key < $1.key }.map(\.value)
    DispatchQueue.concurrentPerform(iterations: groups.count) { group in
      for (scenario, variant) in groups[group] {
        let found = Self.complaints(of: scenario, variant, in: perfkit)
        complaints.withLock { $0 += found.map { "\(scenario):\(variant): \($0)" } }
      }
    }
    #expect(complaints.withLock { $0.sorted() } == [])
  }
}
