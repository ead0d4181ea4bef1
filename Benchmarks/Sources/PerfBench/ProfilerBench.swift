internal import ArgumentParser
internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import PerfStatistics
internal import PerfStore

/// The figures of the profiler: its cost, completeness and accuracy.
struct ProfilerBench: ParsableCommand {
  /// A part of the benchmark.
  enum Part: String, ExpressibleByArgument, CaseIterable {
    case overhead
    case fast
    case busy
    case idle
    case unwinding
    case store
    case truth
    case agreement
    case async
    case allocations
    case engines
    case attach
    case tasks
  }

  static let configuration = CommandConfiguration(
    commandName: "profiler",
    abstract: "Measure the cost, rate, completeness and accuracy of the profiler.",
    discussion: """
      Parts: \(Part.allCases.map(\.rawValue).joined(separator: ", ")). All parts take about 50 \
      minutes. Compared launches are interleaved in random order.
      """)

  @Option(parsing: .upToNextOption, help: "Run only these parts, e.g. --only overhead truth.")
  var only: [Part] = Part.allCases

  @Option(help: "Blocks at 1 kHz, each of which runs every setting once.")
  var blocks = 30

  @Option(help: "Blocks at 10 kHz and with both CPUs busy.")
  var otherBlocks = 12

  @Option(help: "The approximate duration of a launch in seconds.")
  var seconds = 2.0

  @Option(
    parsing: .upToNextOption,
    help: "Compare only these programs in the part agreement, e.g. --programs redis postgres.")
  var programs: [String] = []

  @Option(help: "The folder of the scroll's data sets; created if missing.")
  var cache = ".perfkit/data"

  @Option(help: "Write the figures to this Markdown file.")
  var output: String?

  func run() throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let table = FigureTable()
    for part in Part.allCases where only.contains(part) {
      table.begin(part.rawValue)
      switch part {
      case .overhead: try overhead(workshop, table)
      case .fast: try fast(workshop, table)
      case .busy: try busy(workshop, table)
      case .idle: try idle(workshop, table)
      case .unwinding: try unwinding(workshop, table)
      case .store: try store(workshop, table)
      case .truth: try truth(workshop, table)
      case .agreement: try agreement(workshop, table)
      case .async: try async(workshop, table)
      case .allocations: try allocations(workshop, table)
      case .engines: try engines(workshop, table)
      case .attach: try attach(workshop, table)
      case .tasks: try tasks(workshop, table)
      }
    }
    if let output {
      try table.write(
        title: "Cost and accuracy of the profiler", order: Part.allCases.map(\.rawValue), to: output
      )
    }
  }

  // MARK: - Cost

  private func overhead(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let own = BenchWorkshop.Setting(name: "perfkit", rate: 1000)
    let empty = BenchWorkshop.Setting(name: "empty handler", rate: 1000, hasEmptyHandler: true)
    let perf = workshop.perf(rate: 999)
    let study = try OverheadStudy(
      [own, empty] + [perf].compactMap(\.self), workshop, threads: 1, blocks: blocks,
      seconds: seconds)
    guard let overhead = study.overheads[own.name] else { return }
    let peers = [empty, perf].compactMap(\.self).compactMap { setting in
      study.overheads[setting.name].map { "\(setting.name) \($0.text)" }
    }
    let isBelowPerf = perf.flatMap { study.overheads[$0.name] }.map {
      overhead.median < $0.median
    }
    table.add(
      "wall overhead, 1 kHz, one busy thread", target: "<= 1.5 %, and less than perf's",
      measured: "\(overhead.text), n = \(blocks)", peer: peers.joined(separator: "; "),
      isMet: overhead.median <= 0.015 && isBelowPerf ?? true)
    let audits = AuditSummary(audits: study.audits[own.name] ?? [])
    try rate(audits, "1 kHz", target: 0.99, table)
    table.add(
      "handler time, p50", target: "<= 1.5 us",
      measured: try AuditSummary.text(audits.handlerP50, .time),
      isMet: audits.handlerP50.median <= 1500)
    table.add(
      "handler time, p99", target: "<= 5 us",
      measured: try AuditSummary.text(audits.handlerP99, .time),
      isMet: audits.handlerP99.median <= 5000)
    table.add(
      "complete stacks, optimised Swift, 36 frames", target: ">= 99.9 %",
      measured: try AuditSummary.text(audits.complete, .ratio),
      isMet: audits.complete.median >= 0.999)
  }

  private func fast(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let own = BenchWorkshop.Setting(name: "perfkit", rate: 10_000)
    let empty = BenchWorkshop.Setting(name: "empty handler", rate: 10_000, hasEmptyHandler: true)
    let perf = workshop.perf(rate: 9999)
    let study = try OverheadStudy(
      [own, empty] + [perf].compactMap(\.self), workshop, threads: 1, blocks: otherBlocks,
      seconds: seconds)
    guard let overhead = study.overheads[own.name] else { return }
    table.add(
      "wall overhead, 10 kHz, one busy thread", target: "<= 12 %",
      measured: "\(overhead.text), n = \(otherBlocks)",
      peer: perf.flatMap { study.overheads[$0.name] }.map { "\($0.setting.name) \($0.text)" } ?? "",
      isMet: overhead.median <= 0.12)
    if let difference = try study.difference(own.name, empty.name) {
      table.add(
        "overhead at 10 kHz beyond an empty handler", target: "<= 2 points",
        measured: difference.text,
        peer: study.overheads[empty.name].map { "empty handler \($0.text)" } ?? "",
        isMet: difference.median <= 2)
    }
    try rate(AuditSummary(audits: study.audits[own.name] ?? []), "10 kHz", target: 0.95, table)
  }

  private func busy(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let own = BenchWorkshop.Setting(name: "perfkit", rate: 1000)
    let perf = workshop.perf(rate: 999)
    let study = try OverheadStudy(
      [own] + [perf].compactMap(\.self), workshop, threads: 2, blocks: otherBlocks,
      seconds: seconds)
    guard let overhead = study.overheads[own.name] else { return }
    table.add(
      "wall overhead, 1 kHz, both CPUs busy", target: "<= 5 %",
      measured: "\(overhead.text), n = \(otherBlocks)",
      peer: perf.flatMap { study.overheads[$0.name] }.map { "\($0.setting.name) \($0.text)" } ?? "",
      isMet: overhead.median <= 0.05)
  }

  private func rate(
    _ audits: AuditSummary, _ name: String, target: Double, _ table: FigureTable
  ) throws {
    table.add(
      "rate reached at \(name)",
      target: ">= \(NumberFormat.human(target, .ratio)) of the requested rate",
      measured: try AuditSummary.text(audits.kept, .ratio), isMet: audits.kept.median >= target)
  }

  private func idle(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    var audits: [ProfileAudit] = []
    var interrupts: [(sleeping: Double, waking: Double)] = []
    var bare: [Double] = []
    let length = 5.0
    for _ in 0..<5 {
      let alone = try workshop.launch(
        "bench.tick", parameters: ["seconds": .double(length)],
        setting: BenchWorkshop.Setting(name: "none"))
      bare.append(alone.launch.metrics["bench.tick.cpu"] ?? .nan)
      let (launch, profile) = try workshop.launch(
        "bench.idle", parameters: ["seconds": .double(length)],
        setting: BenchWorkshop.Setting(name: "perfkit", rate: 1000))
      if let audit = profile?.audit { audits.append(audit) }
      interrupts.append(
        (
          (launch.metrics["bench.interrupts.sleeping"] ?? .nan) / length,
          (launch.metrics["bench.interrupts.waking"] ?? .nan) / length
        ))
    }
    let ticker = AuditSummary(audits: audits).ticker
    table.add(
      "ticker with 1 busy and 60 idle threads", target: "<= 5 % of a core",
      measured: try AuditSummary.text(ticker, .ratio),
      peer: "a thread that only sleeps and signals: \(try AuditSummary.text(bare, .ratio))",
      isMet: ticker.median <= 0.05)
    let all = interrupts.map { $0.sleeping + $0.waking }
    table.add(
      "EINTR per second in all 60 idle threads", target: "<= 2",
      measured: "median \(Self.number(all.median)), most \(Self.number(all.max() ?? .nan))",
      isMet: all.median <= 2)
    let never = interrupts.map(\.sleeping)
    table.add(
      "EINTR per second in threads that never ran", target: "0",
      measured: "most \(Self.number(never.max() ?? .nan))", isMet: never.max() == 0)
  }

  static func number(_ value: Double) -> String { String(format: "%.2f", value) }
}

extension [Double] {
  /// The median; NaN without values.
  var median: Double { (try? Quantiles.median(of: self)) ?? .nan }

  /// The mean, or NaN without values.
  var mean: Double { isEmpty ? .nan : reduce(0, +) / Double(count) }
}
