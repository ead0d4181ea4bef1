internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import Synchronization

/// The cost of counting allocations, and the accuracy of sampled allocations.
extension ProfilerBench {
  /// Returns a load of objects and blocks for about a second.
  private static func load(rounds: Int) -> OverheadStudy.Load {
    OverheadStudy.Load(workload: "bench.allocate", parameters: ["rounds": .int(rounds)])
  }
  private static let rounds = 6_000_000

  func allocations(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    try cost(workshop, table)
    try estimates(workshop, table)
  }

  private func cost(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let counting = BenchWorkshop.Setting(name: "counts", countsAllocations: true)
    let sampling = BenchWorkshop.Setting(
      name: "--allocations", rate: 1000, countsAllocations: true)
    let profile = BenchWorkshop.Setting(name: "1 kHz alone", rate: 1000)
    let study = try OverheadStudy(
      [counting, sampling, profile], workshop, Self.load(rounds: Self.rounds), blocks: blocks)
    guard let counts = study.overheads[counting.name] else { return }
    // The fastest hundredth of a launch is free of the machine's other noise.
    let fastest = try study.overhead(of: counting, in: "bench.fastest")
    let peers = [sampling, profile].compactMap { setting in
      study.overheads[setting.name].map { "\(setting.name) \($0.text)" }
    }
    table.add(
      "wall overhead of exact counts, a loop that only allocates", target: "<= 5 %",
      measured: "\(counts.text), n = \(blocks); fastest hundredth of each launch "
        + fastest.text,
      peer: (peers + [try heaptrack(workshop)]).joined(separator: "; "),
      isMet: counts.median <= 0.05)

    let folder = FileManager.default.currentDirectoryPath
    let scroll = OverheadStudy.Load(
      workload: "book.scroll", worker: "BookWorkloads", parameters: ["books": .int(200)],
      metric: MetricName.cpuTotal, cache: cache.hasPrefix("/") ? cache : "\(folder)/\(cache)")
    let whole = try OverheadStudy(
      [counting, sampling, profile], workshop, scroll, blocks: otherBlocks)
    table.add(
      "CPU overhead of exact counts, a scroll of 200 books",
      measured: (whole.overheads[counting.name]?.text ?? "-") + ", n = \(otherBlocks)",
      peer: [sampling, profile].compactMap { setting in
        whole.overheads[setting.name].map { "\(setting.name) \($0.text)" }
      }.joined(separator: "; "))
  }

  /// Returns the overhead of heaptrack, which records the stack of every allocation, in three
  /// launches of a tenth of the loop.
  private func heaptrack(_ workshop: BenchWorkshop) throws -> String {
    guard let heaptrack = workshop.tool("heaptrack") else { return "heaptrack is not installed" }
    let setting = BenchWorkshop.Setting(
      name: "heaptrack", prefix: [heaptrack, "--raw", "--output", workshop.file("heaptrack")])
    let study = try OverheadStudy(
      [setting], workshop, Self.load(rounds: Self.rounds / 10), blocks: 3)
    return study.overheads[setting.name].map {
      "heaptrack \(NumberFormat.percentChange($0.median)), n = 3"
    } ?? ""
  }

  /// Compares the bytes of two functions by sampled allocations with the exact counts.
  private func estimates(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    var worst: [String: Double] = [:]
    for _ in 0..<5 {
      // Without the exact sum, the profile is not scaled to it.
      let unscaled = Mutex<Profile?>(nil)
      let (launch, _) = try workshop.launch(
        "bench.allocate", parameters: ["rounds": .int(Self.rounds)],
        setting: BenchWorkshop.Setting(name: "sampled", rate: 1000, countsAllocations: true)
      ) { capture in
        let builder = ProfileBuilder()
        try? builder.add(capture, launch: 0, measured: 0...UInt64.max)
        let profile = builder.finish()
        unscaled.withLock { $0 = profile }
      }
      guard let profile = unscaled.withLock({ $0 }),
        let all = launch.metrics[MetricName.allocBytes],
        let large = launch.metrics["bench.large"]
      else { continue }
      var found: [String: Double] = [:]
      for count in profile.counts where count.state == .allocated {
        let names = profile.path(of: count.node).map(\.name)
        let part = names.contains("Allocate.allocateLarge()") ? "large blocks" : "small objects"
        found[part, default: 0] += count.weight
        found["all", default: 0] += count.weight
      }
      for (part, bytes) in ["all": all, "large blocks": large, "small objects": all - large] {
        let error = 100 * abs(found[part, default: 0] / bytes - 1)
        worst[part] = max(worst[part] ?? 0, error)
      }
    }
    table.add(
      "error of sampled bytes in percent, worst of 5", target: "<= 5 in all",
      measured: worst.sorted { $0.key < $1.key }.map { "\($0.key) \(Self.number($0.value))" }
        .joined(separator: ", "),
      isMet: (worst["all"] ?? .infinity) <= 5)
  }
}
