internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// The cost of a workload with several settings, in random order within blocks.
struct OverheadStudy {
  /// The work of a launch.
  struct Load {
    let workload: String
    var worker = "BenchWorkloads"
    let parameters: Parameters
    /// The compared metric.
    var metric = MetricName.wall
    /// The folder of data sets; nil for the workshop's scratch folder.
    var cache: String?
  }

  /// The overhead of a setting over no sampler, as ratios minus one.
  struct Overhead {
    let setting: BenchWorkshop.Setting
    let median: Double
    let low: Double?
    let high: Double?
    /// The logarithms of the ratios, block by block.
    let logarithms: [Double]

    /// The overhead as text, in the form `+1.2% [+0.8%, +1.9%]`.
    var text: String {
      let bounds = [low, high].map { $0.map { NumberFormat.percentChange($0) } ?? "open" }
      return "\(NumberFormat.percentChange(median)) [\(bounds.joined(separator: ", "))]"
    }
  }

  /// The overheads by name of the setting.
  private(set) var overheads: [String: Overhead] = [:]
  /// The metric without a sampler.
  private(set) var base: [Double] = []
  /// The metrics of all launches, by name of the setting.
  private var metrics: [String: [[String: Double]]] = [:]
  /// The audits of the sampled launches, by name of the setting.
  private(set) var audits: [String: [ProfileAudit]] = [:]

  /// Makes launches of a CPU-bound Swift loop.
  ///
  /// - Parameters:
  ///   - settings: The settings to compare with no sampler.
  ///   - workshop: Makes the launches.
  ///   - threads: The number of busy threads.
  ///   - blocks: The number of blocks, each of which runs every setting once; ratios are of wall
  ///     times within a block.
  ///   - seconds: The approximate duration of a launch.
  /// - Throws: `RunnerError`, or `BenchError` when a launch did not complete.
  init(
    _ settings: [BenchWorkshop.Setting], _ workshop: BenchWorkshop, threads: Int, blocks: Int,
    seconds: Double
  ) throws {
    let units = try Self.unitsOfWork(workshop, threads: threads, seconds: seconds)
    try self.init(
      settings, workshop,
      Load(
        workload: "bench.burn", parameters: ["iterations": .int(units), "threads": .int(threads)]),
      blocks: blocks)
  }

  /// Makes launches of any work, which must be the same in every launch.
  ///
  /// - Throws: `RunnerError`, or `BenchError` when a launch did not complete.
  init(
    _ settings: [BenchWorkshop.Setting], _ workshop: BenchWorkshop, _ load: Load, blocks: Int
  ) throws {
    let none = BenchWorkshop.Setting(name: "none")
    for block in 0..<blocks {
      for setting in ([none] + settings).shuffled() {
        let (launch, profile) = try workshop.launch(
          load.workload, worker: load.worker, parameters: load.parameters, setting: setting,
          cache: load.cache)
        metrics[setting.name, default: []].append(launch.metrics)
        if let audit = profile?.audit { audits[setting.name, default: []].append(audit) }
      }
      Self.progress("\r\(load.workload): block \(block + 1)/\(blocks) ")
    }
    Self.progress("\n")
    base = values(of: none, load.metric)
    for setting in settings { overheads[setting.name] = try overhead(of: setting, in: load.metric) }
  }

  private func values(of setting: BenchWorkshop.Setting, _ metric: String) -> [Double] {
    (metrics[setting.name] ?? []).map { $0[metric] ?? .nan }
  }

  /// Returns the overhead of a setting in any metric of the launches.
  func overhead(of setting: BenchWorkshop.Setting, in metric: String) throws -> Overhead {
    let none = BenchWorkshop.Setting(name: "none")
    let logarithms = zip(values(of: none, metric), values(of: setting, metric)).map { log($1 / $0) }
    let estimate = try HodgesLehmann.center(of: logarithms)
    return Overhead(
      setting: setting, median: exp(try Quantiles.median(of: logarithms)) - 1,
      low: estimate.low.map { exp($0) - 1 }, high: estimate.high.map { exp($0) - 1 },
      logarithms: logarithms)
  }

  /// Compares two settings block by block, in percentage points.
  func difference(_ first: String, _ second: String) throws -> (median: Double, text: String)? {
    guard let one = overheads[first], let other = overheads[second] else { return nil }
    let points = zip(one.logarithms, other.logarithms).map { (exp($0) - exp($1)) * 100 }
    let estimate = try HodgesLehmann.center(of: points)
    let median = try Quantiles.median(of: points)
    let bounds = [estimate.low, estimate.high].map { $0.map(Self.signed) ?? "open" }
    return (median, "\(Self.signed(median)) points [\(bounds.joined(separator: ", "))]")
  }

  private static func signed(_ value: Double) -> String { String(format: "%+.2f", value) }

  /// Returns the units of work that each thread completes in about the given seconds.
  ///
  /// A launch with a fixed duration would not show the sampler's overhead.
  private static func unitsOfWork(
    _ workshop: BenchWorkshop, threads: Int, seconds: Double
  ) throws -> Int {
    let (launch, _) = try workshop.launch(
      "bench.burn", parameters: ["seconds": .double(seconds), "threads": .int(threads)],
      setting: BenchWorkshop.Setting(name: "calibration"))
    guard let units = launch.metrics["bench.units"] else {
      throw BenchError(description: "the workload bench.burn did not report the metric bench.units")
    }
    return max(1, Int(units) / threads)
  }

  private static func progress(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}

/// The audits of several launches, summarised for a table.
struct AuditSummary {
  let audits: [ProfileAudit]

  /// The shares of requested ticks that were made.
  var kept: [Double] { audits.map { $0.rateReached / $0.rateAsked } }
  /// The shares of complete stacks.
  var complete: [Double] { audits.map { Double($0.complete) / Double(max($0.samples, 1)) } }
  /// The median handler times in nanoseconds.
  var handlerP50: [Double] { audits.compactMap(\.handlerP50) }
  /// The 99th percentiles of the handler times in nanoseconds.
  var handlerP99: [Double] { audits.compactMap(\.handlerP99) }
  /// The CPU times of the ticker as shares of a core.
  var ticker: [Double] { audits.map { Double($0.tickerCPU) / 1e9 / max($0.seconds, 1e-9) } }

  /// Formats values in the form `median 99.9% (99.1% to 100%)`.
  static func text(_ values: [Double], _ dimension: PerfModel.Dimension) throws -> String {
    let sorted = values.sorted()
    guard let low = sorted.first, let high = sorted.last else { return "-" }
    let median = NumberFormat.human(try Quantiles.median(of: values), dimension)
    return "median \(median) (\(NumberFormat.human(low, dimension)) to "
      + "\(NumberFormat.human(high, dimension)))"
  }
}
