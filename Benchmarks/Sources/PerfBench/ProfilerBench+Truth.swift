internal import PerfModel
internal import PerfProfile

/// The accuracy of the profile of a program whose shares are known.
extension ProfilerBench {
  /// Measures the phases of `bench.phases`, whose loop counts give them 67, 18, 12 and 3 % of the
  /// time.
  func truth(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    try truth(of: .signal, workshop, table)
    if EventSession.obstacle() == nil { try truth(of: .perf, workshop, table) }
  }

  private func truth(
    of engine: SamplingEngine, _ workshop: BenchWorkshop, _ table: FigureTable
  ) throws {
    let wanted = [("layout", 67.0), ("gradient", 18.0), ("decode", 12.0), ("other", 3.0)]
    var worst: [String: Double] = [:]
    var smallest: [Double] = []
    var (all, unmarked) = (0.0, 0.0)
    for _ in 0..<5 {
      let (_, profile) = try workshop.launch(
        "bench.phases", parameters: ["seconds": .double(5)],
        setting: BenchWorkshop.Setting(
          name: "perfkit", rate: 1000, engine: engine, recordsMarks: engine == .perf))
      guard let profile else { return }
      var weights: [String: Double] = [:]
      for count in profile.counts where count.state == .running {
        let names = profile.path(of: count.node).map(\.name)
        for (phase, _) in wanted where names.contains("Phases.\(phase)()") {
          weights[phase, default: 0] += count.weight
          if profile.phases[count.phase] != phase { unmarked += count.weight }
        }
      }
      let total = weights.values.reduce(0, +)
      all += total
      for (phase, share) in wanted {
        let found = 100 * weights[phase, default: 0] / max(total, 1)
        worst[phase] = max(worst[phase] ?? 0, abs(found - share))
        if phase == "other" { smallest.append(found) }
      }
    }
    let text = wanted.map { "\($0.0) \(Self.number(worst[$0.0] ?? .nan))" }
    let title = "engine \(engine.rawValue), "
    table.add(
      title + "error of phases of 67/18/12/3 %, 5 s at 1 kHz, worst of 5 in points",
      target: "<= 1.5 each", measured: text.joined(separator: ", "),
      isMet: worst.values.allSatisfy { $0 <= 1.5 })
    table.add(
      title + "measured shares of the phase of 3 %",
      target: "not below 3 % by more than chance",
      measured: smallest.map(Self.number).joined(separator: ", "))
    table.add(
      title + "time in a phase's function with another phase or none", target: "<= 0.1 %",
      measured: "\(Self.number(100 * unmarked / max(all, 1))) %",
      isMet: unmarked <= 0.001 * all)
  }
}
