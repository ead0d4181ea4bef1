internal import PerfModel
internal import PerfProfile

/// The cost of recording the waits of tasks, and their accuracy.
extension ProfilerBench {
  func tasks(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    try costOfTasks(workshop, table)
    try truthOfTasks(workshop, table)
  }

  /// The tasks of a launch, and the tasks per second that the target is about.
  private static let taskCount = 200_000
  private static let taskRate = 100_000.0

  private func costOfTasks(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let work = try workOfTasks(workshop)
    let alone = BenchWorkshop.Setting(name: "--tasks", recordsTasks: true)
    let both = BenchWorkshop.Setting(name: "--tasks and 1 kHz", rate: 1000, recordsTasks: true)
    let profile = BenchWorkshop.Setting(name: "1 kHz alone", rate: 1000)
    let study = try OverheadStudy(
      [alone, both, profile], workshop,
      OverheadStudy.Load(
        workload: "bench.tasks",
        parameters: ["tasks": .int(Self.taskCount), "work": .int(work)]), blocks: blocks)
    guard let overhead = study.overheads[alone.name] else { return }
    let cpu = try study.overhead(of: alone, in: MetricName.cpuTotal)
    let rate = Double(Self.taskCount) / (study.base.median / 1e9)
    table.add(
      "wall overhead of --tasks, \(NumberFormat.human(rate, .count)) tasks per second",
      target: "<= 5 % at 100,000 tasks per second",
      measured: "\(overhead.text), n = \(blocks); CPU time \(cpu.text)",
      peer: [both, profile].compactMap { setting in
        study.overheads[setting.name].map { "\(setting.name) \($0.text)" }
      }.joined(separator: "; "),
      isMet: overhead.median <= 0.05)
  }

  /// Returns the work of a task with which the workload makes about `taskRate` tasks per second.
  private func workOfTasks(_ workshop: BenchWorkshop) throws -> Int {
    let none = BenchWorkshop.Setting(name: "calibration")
    func time(_ work: Int) throws -> Double {
      let walls = try (0..<3).map { _ in
        try workshop.launch(
          "bench.tasks", parameters: ["tasks": .int(Self.taskCount), "work": .int(work)],
          setting: none
        ).launch.metrics[MetricName.wall] ?? .nan
      }
      return walls.median
    }
    // The time is a linear function of the work.
    let (none0, some) = (try time(0), try time(2000))
    let wanted = Double(Self.taskCount) / Self.taskRate * 1e9
    return max(0, Int((wanted - none0) / (some - none0) * 2000))
  }

  private func truthOfTasks(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let parts = [
      ("waitForContinuation", "continuation"), ("waitForClock", "clock"), ("waitForGroup", "group"),
    ]
    var worst: [String: Double] = [:]
    for _ in 0..<5 {
      let (launch, profile) = try workshop.launch(
        "bench.waits", parameters: [:],
        setting: BenchWorkshop.Setting(name: "--tasks", rate: 1000, recordsTasks: true))
      guard let profile else { return }
      var times: [String: Double] = [:]
      for count in profile.counts where count.state == .suspended {
        let names = profile.path(of: count.node).map(\.name)
        for (function, part) in parts where names.contains("\(function)()") {
          times[part, default: 0] += count.weight
        }
      }
      let truth = parts.map { launch.metrics["bench.waits.\($0.1)"] ?? .nan }
      let (found, all) = (times.values.reduce(0, +), truth.reduce(0, +))
      for ((_, part), time) in zip(parts, truth) {
        let error = 100 * abs(times[part, default: 0] / max(found, 1) - time / all)
        worst[part] = max(worst[part] ?? 0, error)
      }
    }
    table.add(
      "error of waits of 50/30/20 %, worst of 5 in points", target: "<= 1.5 each",
      measured: parts.map { "\($0.1) \(Self.number(worst[$0.1] ?? .nan))" }.joined(separator: ", "),
      isMet: parts.allSatisfy { worst[$0.1] ?? .infinity <= 1.5 })
  }
}
