internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// Comparisons of counted work.
extension EvidenceBench {
  /// A margin that is finer than the gate's, by which layouts are compared.
  private static let fine = Scenario.GatePolicy(
    metrics: [MetricName.workInstructions: Scenario.Margin(relative: 0.0005)])

  func counted(_ table: FigureTable) throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    guard let program = try CountedProgram(in: workshop) else {
      throw BenchError(description: "the counted programs need clang or cc")
    }
    try layouts(program, workshop, table)
    try injected(program, workshop, table)
    try nondeterministic(program, workshop, table)
    var record = try LiveRecord(file: record)
    // Each round has all workloads, so that an early end leaves figures of each.
    for _ in 0..<countedWorkloads {
      for workload in Self.workloads {
        guard let seed = record.missing(workload.variant, of: countedWorkloads).first else {
          continue
        }
        try compare(workload, seed, workshop, table, &record)
      }
    }
    for workload in Self.workloads { report(workload, record.of(workload.variant), table) }
  }

  /// Compares a program with itself, linked anew.
  private func layouts(
    _ program: CountedProgram, _ workshop: BenchWorkshop, _ table: FigureTable
  ) throws {
    var (alarms, open, largest) = (0, 0, 0.0)
    let comparisons = relinked
    for index in 0..<comparisons {
      let paths = try (0..<2).map { try program.link(seed: seed &+ UInt64(2 * index + $0)) }
      let work = try compare(paths[0], paths[1], workshop)
      if work.verdict == .regressed || work.verdict == .improved { alarms += 1 }
      if work.verdict == .inconclusive { open += 1 }
      largest = max(largest, work.metrics.first?.estimate?.magnitude ?? .infinity)
    }
    table.add(
      "a C program of 10 million instructions, linked in another order, with other padding and "
        + "another unused function; margin 0.05 %",
      target: "0 alarms in >= 200 comparisons",
      measured: "\(alarms) alarms and \(open) inconclusive in \(comparisons); largest difference "
        + RuleTally.percent(largest),
      isMet: alarms == 0 && comparisons >= 200)
  }

  /// Compares the program with a slower one whose functions have another layout.
  private func injected(
    _ program: CountedProgram, _ workshop: BenchWorkshop, _ table: FigureTable
  ) throws {
    var (found, named) = (0, 0)
    let comparisons = max(1, relinked / 2)
    for index in 0..<comparisons {
      let first = seed &+ 1_000_000 &+ UInt64(2 * index)
      let function = index % CountedProgram.functions
      let work = try compare(
        program.link(seed: first), program.link(seed: first + 1, slower: function), workshop)
      if work.verdict == .regressed { found += 1 }
      if work.culprits.first?.name == "f\(function)" { named += 1 }
    }
    table.add(
      "the same with 0.1 % more work in one of eight functions",
      target: "found and named in 100 of 100",
      measured: "found in \(found) and named in \(named) of \(comparisons)",
      isMet: found == comparisons && named == comparisons && comparisons >= 100)
  }

  private func nondeterministic(
    _ program: CountedProgram, _ workshop: BenchWorkshop, _ table: FigureTable
  ) throws {
    for kind in ["threads", "timer", "random"] {
      let path = try program.nondeterministic(kind)
      let comparisons = 10
      let detected = try (0..<comparisons).count { _ in
        try !compare(path, path, workshop).isDeterministic
      }
      table.add(
        "a program whose work depends on \(kind)", target: "reported as nondeterministic",
        measured: "\(detected) of \(comparisons)", isMet: detected == comparisons)
    }
  }

  /// A workload of the project with parameters that make it do about 3 % more work.
  ///
  /// Its own start takes a part of the work, so that the parameters grow by more than 3 %.
  private struct Slowed {
    let workload: String
    let base: Parameters
    let slower: Parameters

    /// The name of its comparisons in a record.
    var variant: String { "counted-\(workload)" }
  }

  private static let workloads = [
    Slowed(
      workload: "book.palette", base: ["width": .int(800), "count": .int(1), "rounds": .int(33)],
      slower: ["rounds": .int(34)]),
    Slowed(
      workload: "book.query", base: ["works": .int(1000), "views": .int(100)],
      slower: ["views": .int(103)]),
    Slowed(
      workload: "book.editions",
      base: ["works": .int(200), "scrolls": .int(33), "updates": .int(0)],
      slower: ["scrolls": .int(36)]),
    Slowed(
      workload: "book.cache", base: ["requests": .int(2000)],
      slower: ["requests": .int(2120)]),
  ]

  /// Compares a workload with the slower one.
  private func compare(
    _ slowed: Slowed, _ seed: Int, _ workshop: BenchWorkshop, _ table: FigureTable,
    _ record: inout LiveRecord
  ) throws {
    let began = Date()
    let work = try judge(Scenario.GatePolicy().counted) { isCandidate, launches in
      try workshop.count(
        slowed.workload, worker: "BookWorkloads",
        parameters: isCandidate
          ? slowed.base.merging(slowed.slower) { _, slower in slower } : slowed.base,
        launches: launches)
    }
    let verdict = work.verdict.rawValue
    try record.add(
      LiveRecord.Entry(
        variant: slowed.variant, seed: seed, date: table.now,
        commit: table.commit, machine: table.machine, seconds: Date().timeIntervalSince(began),
        answer: LiveRecord.Answer(verdict: verdict, pairs: 0, metrics: [], work: verdict),
        change: work.metrics.first?.estimate))
  }

  private func report(_ slowed: Slowed, _ entries: [LiveRecord.Entry], _ table: FigureTable) {
    let found = entries.count { $0.answer.work == "regressed" }
    let seconds = entries.map(\.seconds)
    let change = Self.median(entries.compactMap(\.change)) ?? 0
    table.add(
      "\(slowed.workload), about 3 % more work", target: "found in 50 of 50, each in <= 60 s",
      measured: "found in \(found) of \(entries.count), \(Self.text(Self.median(seconds))) s "
        + "(median), \(Self.text(seconds.max())) s (longest), median change "
        + NumberFormat.percentChange(change),
      isMet: found == entries.count && found >= 50 && seconds.allSatisfy { $0 <= 60 })
  }

  private func compare(
    _ base: String, _ candidate: String, _ workshop: BenchWorkshop
  ) throws -> WorkComparison {
    try judge(Self.fine) { isCandidate, launches in
      try workshop.count(command: [isCandidate ? candidate : base], launches: launches)
    }
  }

  /// Counts both sides until the work is decided, as `perfkit diff --count` does.
  private func judge(
    _ policy: Scenario.GatePolicy, count: (_ isCandidate: Bool, _ launches: Int) throws -> Run
  ) throws -> WorkComparison {
    var (base, candidate): ([Run], [Run]) = ([], [])
    while true {
      let launches = base.isEmpty ? WorkComparer.looks.lowerBound : 1
      base.append(try count(false, launches))
      candidate.append(try count(true, launches))
      let work = WorkComparer(policy: policy).compare(WorkCounts(base), WorkCounts(candidate))
      guard work.needsLaunches else { return work }
    }
  }
}
