internal import PerfModel

extension RunDocument {
  private struct Wait: Hashable {
    let thread: Int
    let call: Int
    /// The innermost function of the program itself, or -1.
    let caller: Int
  }

  /// What threads waited for, longest first; nil when nothing is known of it.
  var waitTable: Table? {
    guard let profile = run.profile else { return nil }
    let isOwn = ProgramCode.isOwn(in: profile)
    var times: [Wait: Double] = [:]
    for count in profile.counts where count.state == .waiting {
      var caller = count.node
      while caller >= 0, !isOwn[profile.nodes[caller].function] {
        caller = profile.nodes[caller].parent
      }
      let wait = Wait(
        thread: count.thread, call: profile.nodes[count.node].function,
        caller: caller < 0 ? -1 : profile.nodes[caller].function)
      times[wait, default: 0] += count.weight
    }
    guard !times.isEmpty else { return nil }
    let launches = Double(max(run.sampled.count, 1))
    let longest = times.sorted {
      ($1.value, $0.key.thread, $0.key.call, $0.key.caller)
        < ($0.value, $1.key.thread, $1.key.call, $1.key.caller)
    }
    let rows = longest.prefix(8).map { wait, time -> [Table.Cell] in
      [
        .init(NumberFormat.human(time / launches, .time), .strong),
        .init(profile.threads[wait.thread].name),
        .init(profile.functions[wait.call].name),
        .init(wait.caller < 0 ? Wording.nothing : profile.functions[wait.caller].name),
      ]
    }
    return Table(
      id: "waits", title: "Waits",
      columns: [
        .init("a launch", .trailing), .init("thread"), .init("in"),
        .init("called by", isFlexible: true),
      ],
      rows: Array(rows),
      caption: "Wall time, summed over threads of one name; 'flamegraph --state waiting' has the "
        + "stacks.")
  }
}
