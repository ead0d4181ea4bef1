internal import PerfModel

extension RunDocument {
  private struct Wait: Hashable {
    let thread: Int
    let call: Int
    /// The innermost function of the program, or -1.
    let caller: Int
  }

  private struct Cost {
    var time = 0.0
    var count = 0
    /// The longest wait; 0 if unknown.
    var longest = 0.0
    /// Whether a stack lacks its outermost functions, among them the caller.
    var lacksCaller = false
  }

  /// Returns the waits of threads or of tasks, those with the most time first.
  private static func waits(
    _ state: Profile.State, of profile: Profile
  ) -> [(wait: Wait, cost: Cost)] {
    let isOwn = ProgramCode.isOwn(in: profile)
    var costs: [Wait: Cost] = [:]
    for (index, count) in profile.counts.enumerated() where count.state == state {
      var (caller, outermost) = (count.node, count.node)
      while caller >= 0, !isOwn[profile.nodes[caller].function] {
        (caller, outermost) = (profile.nodes[caller].parent, caller)
      }
      let wait = Wait(
        thread: count.thread, call: profile.nodes[count.node].function,
        caller: caller < 0 ? -1 : profile.nodes[caller].function)
      var cost = costs[wait] ?? Cost()
      cost.time += count.weight
      cost.count += count.samples
      cost.longest = max(cost.longest, profile.audit.longestTaskWaits?[index] ?? 0)
      // A name in brackets stands for the missing functions, or for the system call alone.
      if caller < 0, profile.functions[profile.nodes[outermost].function].name.hasPrefix("[") {
        cost.lacksCaller = true
      }
      costs[wait] = cost
    }
    return costs.sorted {
      ($1.value.time, $0.key.thread, $0.key.call, $0.key.caller)
        < ($0.value.time, $1.key.thread, $1.key.call, $1.key.caller)
    }.map { ($0.key, $0.value) }
  }

  /// The waits of the threads, longest first; nil if none were recorded.
  var waitTable: Table? {
    guard let profile = run.profile else { return nil }
    let waits = Self.waits(.waiting, of: profile)
    guard !waits.isEmpty else { return nil }
    let launches = Double(max(run.sampled.count, 1))
    // The kernel's engine reads stacks with all registers.
    let isCut = profile.audit.engine != .perf && waits.prefix(8).contains { $0.cost.lacksCaller }
    let rows = waits.prefix(8).map { wait, cost -> [Table.Cell] in
      [
        .init(NumberFormat.human(cost.time / launches, .time), .strong),
        .init(profile.threads[wait.thread].name),
        .init(profile.functions[wait.call].name),
        .init(wait.caller < 0 ? Wording.nothing : profile.functions[wait.caller].name),
      ]
    }
    return Table(
      id: "waits", title: "Waits",
      columns: [
        .init(run.importedFormat == nil ? "per launch" : "wall time", .trailing),
        .init("thread"), .init("call"),
        .init("caller", isFlexible: true),
      ],
      rows: Array(rows),
      caption: "Wall time, summed over threads of one name. `perfkit flamegraph --state waiting` "
        + "shows the stacks."
        + (isCut
          ? " The stack of a wait without a caller is incomplete, e.g. in vfork. With "
            + "--engine perf, such waits have their callers."
          : ""))
  }

  /// The waits of Swift tasks, those with the most time first; nil if none were recorded.
  var taskTable: Table? {
    guard let profile = run.profile else { return nil }
    let waits = Self.waits(.suspended, of: profile)
    let total = waits.reduce(0) { $0 + $1.cost.time }
    guard total > 0 else { return nil }
    let launches = Double(max(run.sampled.count, 1))
    // Smaller shares are displayed as 0.0 %.
    let shown = waits.prefix(12).filter { $0.cost.time >= 0.0005 * total }
    let rows = shown.map { wait, cost -> [Table.Cell] in
      [
        .init(Wording.share(cost.time, of: total), .strong),
        .init(NumberFormat.human(cost.time / launches, .time)),
        .init(NumberFormat.human(Double(cost.count) / launches, .count)),
        .init(NumberFormat.human(cost.time / Double(max(cost.count, 1)), .time)),
        .init(NumberFormat.human(cost.longest, .time)),
        .init(profile.functions[wait.call].name), .init(profile.threads[wait.thread].name),
        .init(wait.caller < 0 ? Wording.nothing : profile.functions[wait.caller].name),
      ]
    }
    return Table(
      id: "tasks", title: "Where tasks wait",
      columns: [
        .init("share", .trailing), .init("per launch", .trailing), .init("waits", .trailing),
        .init("mean", .trailing), .init("longest", .trailing), .init("on"), .init("task"),
        .init("function", isFlexible: true),
      ],
      rows: rows,
      caption:
        "Shares of \(NumberFormat.human(total / launches, .time)) per launch for which Swift tasks "
        + "waited, summed over all tasks. `perfkit flamegraph --state suspended` shows the stacks.")
  }
}
