internal import PerfModel
internal import PerfStatistics

extension RunDocument {
  var functionTable: Table? {
    guard let whole = run.profile, !whole.counts.isEmpty else { return nil }
    let profile = folding.apply(to: whole)
    let isFolded = profile.nodes.count < whole.nodes.count
    let sampled = run.sampled
    let hot = HotFunctions(profile, launches: sampled.map(\.index))
    guard hot.total > 0 else { return nil }
    let launches = Double(max(sampled.count, 1))
    let measure = profile.measure
    // A median needs six launches for an interval; with fewer, the number of samples gives one.
    let isByLaunches = hot.totalByLaunch.filter { $0 > 0 }.count >= 6
    func margin(_ cost: HotFunctions.Cost) -> Table.Cell {
      .init(
        measure.hasSamples
          ? Self.margin(of: cost, in: hot, isByLaunches: isByLaunches) : Wording.nothing, .muted)
    }
    let rows = hot.functions.prefix(15).filter { $0.own.time > 0 }.map { entry -> [Table.Cell] in
      [
        .init(Wording.share(entry.own.time, of: hot.total), .strong), margin(entry.own),
        .init(Wording.share(entry.total.time, of: hot.total)), margin(entry.total),
        .init(NumberFormat.human(entry.own.time / launches, measure.dimension)),
        .init(entry.function.name),
        // Long module names are shortened, so that the column of functions stays visible.
        .init(TextWrapping.shortened(entry.function.module, to: 20), .muted),
      ]
    }
    return Table(
      id: "functions", title: "Hot functions",
      columns: [
        .init("self", .trailing), .init("±", .trailing), .init("total", .trailing),
        .init("±", .trailing),
        .init(run.importedFormat == nil ? "per launch" : measure.name, .trailing),
        .init("function", isFlexible: true), .init("module"),
      ],
      rows: Array(rows),
      caption: measure.hasSamples
        ? "Shares of \(Wording.sampled(hot.total, measure)), over "
          + "\(Wording.count(hot.samples, "sample")) of all threads. "
          + note(isByLaunches: isByLaunches) + (isFolded ? " " + folding.note : "")
        : "Shares of \(Wording.sampled(hot.total, measure)). The imported file does not contain the "
          + "numbers of samples." + (isFolded ? " " + folding.note : ""))
  }

  private func note(isByLaunches: Bool) -> String {
    if isByLaunches {
      return "± is half of the 95 % confidence interval of the median share per launch, in points; "
        + "for functions in fewer than half of the launches, of their share of the samples."
    }
    return "± is half of the 95 % confidence interval from the number of samples "
      + "(Clopper-Pearson), in points"
      + (run.importedFormat == nil ? "; the variation between launches needs six launches." : ".")
  }

  /// Returns half of the 95 % interval of a function's share, in percentage points: of the median
  /// share over the launches with CPU time, or of the share of its samples.
  ///
  /// The median of a function in fewer than half of the launches is zero, which says nothing.
  /// Samples are treated as independent. They are evenly spaced in time, so the true error is
  /// rather smaller.
  private static func margin(
    of cost: HotFunctions.Cost, in hot: HotFunctions, isByLaunches: Bool
  ) -> String {
    let shares = zip(cost.byLaunch, hot.totalByLaunch).compactMap { $1 > 0 ? $0 / $1 : nil }
    let isUsual = 2 * shares.count { $0 > 0 } >= shares.count
    let estimate =
      isByLaunches && isUsual
      ? try? Quantiles.estimate(0.5, of: shares)
      : try? Proportion.estimate(events: min(cost.samples, hot.samples), trials: hot.samples)
    guard let low = estimate?.low, let high = estimate?.high else { return Wording.nothing }
    return NumberFormat.fixed((high - low) / 2 * 100, decimals: 1)
  }

  /// The CPU time of the threads, summed by name; nil if there is only one name.
  var threadTable: Table? {
    guard let threads = run.profile?.threads.filter({ $0.cpu > 0 }), threads.count > 1 else {
      return nil
    }
    let isMeasured = run.importedFormat == nil
    let total = threads.reduce(0) { $0 + Double($1.cpu) }
    let launches = Double(max(run.sampled.count, 1))
    let sorted = threads.sorted { ($1.cpu, $0.name) < ($0.cpu, $1.name) }
    let shown = sorted.prefix(8)
    let rest = sorted.dropFirst(8).reduce(0) { $0 + Double($1.cpu) }
    func row(_ cpu: Double, _ name: String) -> [Table.Cell] {
      [
        .init(Wording.share(cpu, of: total), .strong),
        .init(NumberFormat.human(cpu / launches, .time)), .init(name),
      ]
    }
    let left = sorted.count - shown.count
    let others = left > 0 ? [row(rest, Wording.count(left, "other"))] : []
    return Table(
      id: "threads", title: "Threads",
      columns: [
        .init(isMeasured ? "CPU" : "share", .trailing),
        .init(isMeasured ? "per launch" : "time", .trailing), .init("thread", isFlexible: true),
      ],
      rows: shown.map { row(Double($0.cpu), $0.name) } + others,
      caption: isMeasured
        ? "CPU time from the kernel's clocks, summed over threads of one name."
        : "Sums of the samples of threads of one name.")
  }

  /// The functions that allocated the most memory; nil without recorded allocations.
  ///
  /// Allocations in libraries and in the Swift runtime are charged to the calling function of the
  /// program.
  var allocationTable: Table? {
    guard let profile = run.profile else { return nil }
    let launches = run.sampled.count
    let allocated = Blame(profile, launches: launches, state: .allocated)
    let total = allocated.time.values.reduce(0, +)
    guard total > 0 else { return nil }
    let peak = Blame(profile, launches: launches, state: .livePeak)
    let end = Blame(profile, launches: launches, state: .liveEnd)
    // Smaller shares are displayed as 0.0 % and are based on one or two samples.
    let sorted = allocated.time.filter { $0.value >= 0.0005 * total }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let rows = sorted.prefix(15).map { key, bytes -> [Table.Cell] in
      [
        .init(Wording.share(bytes, of: total), .strong),
        .init(NumberFormat.human(bytes, .size)),
        .init(Wording.value(peak.time[key], .size)), .init(Wording.value(end.time[key], .size)),
        .init(allocated.names[key] ?? key),
      ]
    }
    let recorded = profile.counts.filter { $0.state == .allocated }.reduce(0) { $0 + $1.samples }
    let live = (peak.time.values.reduce(0, +), end.time.values.reduce(0, +))
    return Table(
      id: "allocations", title: "Allocated memory",
      columns: [
        .init("share", .trailing), .init("per launch", .trailing), .init("at the peak", .trailing),
        .init("at the end", .trailing), .init("function", isFlexible: true),
      ],
      rows: rows,
      caption: "Shares of \(NumberFormat.human(total, .size)) per launch, of which about "
        + "\(NumberFormat.human(live.0, .size)) were live at the peak and "
        + "\(NumberFormat.human(live.1, .size)) at the end. Estimated from "
        + "\(Wording.count(recorded, "recorded allocation")).")
  }
}
