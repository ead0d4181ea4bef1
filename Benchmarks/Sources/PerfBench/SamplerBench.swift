internal import ArgumentParser
internal import Foundation
internal import PerfModel

/// The cost and completeness of the sampler.
struct SamplerBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sampler",
    abstract: "Measure the overhead, rate and complete stacks of sampling, compared with perf.",
    discussion: """
      A CPU-bound Swift loop runs without a sampler, sampled at 1 kHz, and with `perf record -F 999 -g` \
      if perf is installed, in random order within each block. Ratios are of wall times \
      within a block. Samples are drained while the loop runs.
      """)

  @Option(help: "Blocks, each of which runs every setting once.")
  var pairs = 30

  @Option(help: "The approximate duration of a launch in seconds.")
  var seconds = 2.0

  @Option(help: "Samples per second.")
  var rate = 1000

  @Option(help: "Blocks with two busy threads.")
  var busyPairs = 12

  @Option(help: "The folder of the scroll's data sets; created if missing.")
  var cache = ".perfkit/data"

  func run() throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let settings =
      [BenchWorkshop.Setting(name: "perfkit", rate: rate)]
      + [workshop.perf(rate: 999)].compactMap(\.self)
    print("Sampler, \(pairs) blocks of \(settings.count + 1) launches of about \(seconds) s each")
    try overhead(settings, workshop, threads: 1, pairs: pairs, target: 1.5)
    if busyPairs > 0 { try overhead(settings, workshop, threads: 2, pairs: busyPairs, target: 5) }
    try scroll(workshop)
  }

  private func overhead(
    _ settings: [BenchWorkshop.Setting], _ workshop: BenchWorkshop, threads: Int, pairs: Int,
    target: Double
  ) throws {
    let study = try OverheadStudy(
      settings, workshop, threads: threads, blocks: pairs, seconds: seconds)
    print("\n\(threads) busy thread\(threads == 1 ? "" : "s"): wall time compared with no sampler")
    print("  none                       \(try AuditSummary.text(study.base, .time))")
    for setting in settings {
      guard let overhead = study.overheads[setting.name] else { continue }
      let name = setting.name.padding(toLength: 26, withPad: " ", startingAt: 0)
      print(
        "  \(name) median, 95 % interval \(overhead.text), n = \(overhead.logarithms.count)"
          + (setting.rate > 0 ? ", target <= +\(target)%" : ""))
    }
    try show(study.audits.values.flatMap(\.self))
  }

  private func show(_ audits: [ProfileAudit]) throws {
    guard !audits.isEmpty else { return }
    let summary = AuditSummary(audits: audits)
    let text = AuditSummary.text
    print("  ticks kept                 \(try text(summary.kept, .ratio)), target >= 99%")
    print("  stacks complete            \(try text(summary.complete, .ratio))")
    print("  handler p50                \(try text(summary.handlerP50, .time))")
    print("  handler p99                \(try text(summary.handlerP99, .time))")
    print("  ticker, of a core          \(try text(summary.ticker, .ratio))")
  }

  /// Measures the stacks of a real worker: the optimised scroll.
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
}
