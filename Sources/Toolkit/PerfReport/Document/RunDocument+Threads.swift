internal import PerfModel

extension RunDocument {
  /// What CPU time each thread took, those of one name together, most first; nil where there is
  /// one name alone.
  var threadTable: Table? {
    guard let threads = run.profile?.threads.filter({ $0.cpu > 0 }), threads.count > 1 else {
      return nil
    }
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
    let others =
      sorted.count > shown.count
      ? [row(rest, Wording.count(sorted.count - shown.count, "other"))] : []
    return Table(
      id: "threads", title: "Threads",
      columns: [
        .init("CPU", .trailing), .init("a launch", .trailing), .init("thread", isFlexible: true),
      ],
      rows: shown.map { row(Double($0.cpu), $0.name) } + others,
      caption: "By the kernel's clocks, threads of one name together.")
  }
}
