internal import PerfModel

extension RunDocument {
  /// The functions that asked for most memory; nil when no allocation was recorded.
  ///
  /// A function answers for what libraries, Swift's runtime among them, allocate on its behalf.
  var allocationTable: Table? {
    guard let profile = run.profile else { return nil }
    let launches = run.sampled.count
    let allocated = Blame(profile, launches: launches, state: .allocated)
    let total = allocated.time.values.reduce(0, +)
    guard total > 0 else { return nil }
    let peak = Blame(profile, launches: launches, state: .livePeak)
    let end = Blame(profile, launches: launches, state: .liveEnd)
    // What is less than 0.05 % is written as 0.0 %, and rests on a sample or two.
    let sorted = allocated.time.filter { $0.value >= 0.0005 * total }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let rows = sorted.prefix(15).map { key, bytes -> [Table.Cell] in
      [
        .init(Wording.share(bytes, of: total), .strong),
        .init(NumberFormat.human(bytes, .size)),
        .init(peak.time[key].map { NumberFormat.human($0, .size) } ?? "-"),
        .init(end.time[key].map { NumberFormat.human($0, .size) } ?? "-"),
        .init(allocated.names[key] ?? key),
      ]
    }
    let recorded = profile.counts.filter { $0.state == .allocated }.reduce(0) { $0 + $1.samples }
    let live = (peak.time.values.reduce(0, +), end.time.values.reduce(0, +))
    return Table(
      id: "allocations", title: "Allocated memory",
      columns: [
        .init("share", .trailing), .init("a launch", .trailing), .init("at the peak", .trailing),
        .init("left at the end", .trailing), .init("function", isFlexible: true),
      ],
      rows: rows,
      caption: "Shares of \(NumberFormat.human(total, .size)) a launch. Of that about "
        + "\(NumberFormat.human(live.0, .size)) were live at the peak and "
        + "\(NumberFormat.human(live.1, .size)) at the end; estimated from "
        + "\(Wording.count(recorded, "recorded allocation")).")
  }
}
