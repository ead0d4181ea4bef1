internal import ArgumentParser
internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// What the sampler costs and how well it samples.
struct SamplerBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sampler",
    abstract: "Overhead of sampling beside perf's, rate reached, stacks complete.",
    discussion: """
      A CPU-bound Swift loop runs without a sampler, sampled at 1 kHz, and under `perf record -F 999 -g` \
      where perf is installed, in random order within each block. The ratios are of wall times \
      within a block; the samples are drained while the loop runs.
      """)

  @Option(help: "Blocks; each runs every setting once.")
  var pairs = 30

  @Option(help: "Seconds of one launch, roughly.")
  var seconds = 2.0

  @Option(help: "Samples a second.")
  var rate = 1000

  @Option(help: "Blocks with two busy threads.")
  var busyPairs = 12

  @Option(help: "The folder of data sets for the scroll; made where it is missing.")
  var cache = ".perfkit/data"

  func run() throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    var settings = [
      BenchWorkshop.Setting(name: "none"), BenchWorkshop.Setting(name: "perfkit", rate: rate),
    ]
    if let perf = workshop.tool("perf") {
      settings.append(
        BenchWorkshop.Setting(
          name: "perf record -F 999 -g",
          prefix: [perf, "record", "-F", "999", "-g", "-o", workshop.file("perf.data"), "--"]))
    }
    print("Sampler, \(pairs) blocks of \(settings.count) launches of about \(seconds) s each")
    try overhead(settings, workshop, threads: 1, pairs: pairs, target: 1.5)
    if busyPairs > 0 { try overhead(settings, workshop, threads: 2, pairs: busyPairs, target: 5) }
    try scroll(workshop)
  }

  private func overhead(
    _ settings: [BenchWorkshop.Setting], _ workshop: BenchWorkshop, threads: Int, pairs: Int,
    target: Double
  ) throws {
    let units = try unitsOfWork(workshop, threads: threads)
    let parameters: Parameters = ["iterations": .int(units), "threads": .int(threads)]
    var walls: [String: [Double]] = [:]
    var audits: [ProfileAudit] = []
    for block in 0..<pairs {
      for setting in settings.shuffled() {
        let (iteration, profile) = try workshop.launch(
          "bench.burn", parameters: parameters, setting: setting)
        walls[setting.name, default: []].append(iteration.metrics["wall"] ?? .nan)
        if let audit = profile?.audit { audits.append(audit) }
      }
      FileHandle.standardError.write(Data("\r\(threads) busy: block \(block + 1)/\(pairs) ".utf8))
    }
    FileHandle.standardError.write(Data("\n".utf8))
    print("\n\(threads) busy thread\(threads == 1 ? "" : "s"): wall time against no sampler")
    let base = walls["none"] ?? []
    print("  none                       \(try text(base.map(\.self), .time))")
    for setting in settings.dropFirst() {
      let logs = zip(base, walls[setting.name] ?? []).map { log($1 / $0) }
      let estimate = try HodgesLehmann.center(of: logs)
      let median = try Quantiles.median(of: logs)
      let low = estimate.low.map { NumberFormat.percentChange(exp($0) - 1) } ?? "open"
      let high = estimate.high.map { NumberFormat.percentChange(exp($0) - 1) } ?? "open"
      let name = setting.name.padding(toLength: 26, withPad: " ", startingAt: 0)
      print(
        "  \(name) median \(NumberFormat.percentChange(exp(median) - 1)), 95 % interval "
          + "[\(low), \(high)], n = \(logs.count)"
          + (setting.rate > 0 ? ", target <= +\(target)%" : ""))
    }
    try show(audits)
  }

  /// The units that each thread gets through in about `seconds`.
  ///
  /// A launch that works for a fixed time would take that time whatever the sampler costs.
  private func unitsOfWork(_ workshop: BenchWorkshop, threads: Int) throws -> Int {
    let (iteration, _) = try workshop.launch(
      "bench.burn", parameters: ["seconds": .double(seconds), "threads": .int(threads)],
      setting: BenchWorkshop.Setting(name: "calibration"))
    guard let units = iteration.metrics["bench.units"] else {
      throw BenchError(description: "bench.burn did not report its units of work")
    }
    return max(1, Int(units) / threads)
  }

  private func show(_ audits: [ProfileAudit]) throws {
    guard !audits.isEmpty else { return }
    let reached = audits.map { $0.rateReached / $0.rateAsked }
    print("  ticks kept                 \(try text(reached, .ratio)), target >= 99%")
    let complete = audits.map { Double($0.complete) / Double(max($0.samples, 1)) }
    print("  stacks complete            \(try text(complete, .ratio))")
    print("  handler p50                \(try text(audits.compactMap(\.handlerP50), .time))")
    print("  handler p99                \(try text(audits.compactMap(\.handlerP99), .time))")
    let ticker = audits.map { Double($0.tickerCPU) / 1e9 / max($0.seconds, 1e-9) }
    print("  ticker, of a core          \(try text(ticker, .ratio))")
  }

  /// The stacks of a real worker: the optimised scroll.
  private func scroll(_ workshop: BenchWorkshop) throws {
    let folder = FileManager.default.currentDirectoryPath
    let (_, profile) = try workshop.launch(
      "book.scroll", worker: "BookWorkloads", parameters: ["books": .int(200)],
      setting: BenchWorkshop.Setting(name: "perfkit", rate: rate),
      cache: cache.hasPrefix("/") ? cache : "\(folder)/\(cache)")
    guard let audit = profile?.audit else { return }
    print("\nbook.scroll, optimised: \(audit.samples) samples")
    try show([audit])
    for (reason, count) in audit.failures.sorted(by: { $0.value > $1.value }) {
      print("  failed                     \(count) x \(reason)")
    }
  }

  private func text(_ values: [Double], _ dimension: PerfModel.Dimension) throws -> String {
    let sorted = values.sorted()
    guard let low = sorted.first, let high = sorted.last else { return "-" }
    let median = NumberFormat.human(try Quantiles.median(of: values), dimension)
    return "median \(median) (\(NumberFormat.human(low, dimension)) to "
      + "\(NumberFormat.human(high, dimension)))"
  }
}
