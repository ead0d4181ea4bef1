internal import PerfModel
internal import PerfStatistics

/// The tables that accompany the figures of frames.
enum FrameTables {
  /// Returns quantiles of the frame costs of each run; nil without frames.
  static func quantiles(_ sides: [(name: String?, launches: [Launch])]) -> Table? {
    let probabilities = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1]
    let rows = sides.compactMap { side -> [Table.Cell]? in
      let costs = side.launches.flatMap { $0.frames.map { Double($0.cost) } }.sorted()
      guard !costs.isEmpty else { return nil }
      return [.init(side.name ?? "all launches"), .init(NumberFormat.grouped(costs.count))]
        + probabilities.map { .init(Wording.value(Quantiles.ofSorted(costs, $0), .time)) }
    }
    guard !rows.isEmpty else { return nil }
    let names = ["p50", "p75", "p90", "p95", "p99", "p99.9", "max"]
    return Table(
      id: "quantiles", title: "Quantiles of frame costs",
      columns: [.init("run"), .init("frames", .trailing)]
        + names.map { .init($0, .trailing) },
      rows: rows)
  }

  /// Returns the frames with the longest hitches of all launches; nil if no frame missed its
  /// refresh.
  static func worst(_ launches: [Launch], count: Int = 15) -> Table? {
    let missed = launches.flatMap { launch in
      launch.frames.filter { $0.hitch > 0 }.map { (launch.index, $0) }
    }
    guard !missed.isEmpty else { return nil }
    let sorted = missed.sorted { ($1.1.hitch, $0.0, $0.1.index) < ($0.1.hitch, $1.0, $1.1.index) }
    let rows = sorted.prefix(count).map { launch, frame -> [Table.Cell] in
      [
        .init("\(launch)"), .init("\(frame.index)"),
        .init(NumberFormat.human(Double(frame.cost), .time)),
        .init(NumberFormat.human(Double(frame.cpu), .time)),
        .init(NumberFormat.human(Double(frame.overrun), .time)),
        .init(NumberFormat.human(Double(frame.hitch), .time), .bad), .init("\(frame.missed)"),
      ]
    }
    let titles = ["launch", "frame", "cost", "CPU", "overrun", "hitch", "missed refreshes"]
    return Table(
      id: "worst-frames", title: "Longest hitches",
      columns: titles.map { .init($0, .trailing) }, rows: Array(rows),
      caption: missed.count > count
        ? "\(count) of \(NumberFormat.grouped(missed.count)) frames that missed their refresh."
        : "")
  }
}
