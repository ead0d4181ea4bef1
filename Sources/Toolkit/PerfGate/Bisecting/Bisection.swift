internal import PerfModel
public import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
public import PerfStore

/// The search for the commit by which a metric regressed.
///
/// Each step measures a commit in pairs against the good revision and judges it like a gate: *regressed*
/// is bad, *equivalent* and *improved* are good. Other commits are skipped. A commit with the program of a
/// judged commit has the same result. A commit before the scenario is measured by the bad revision's file. If a merge is the first bad commit, the search continues in its
/// branch, against the commit at which the branch began.
public struct Bisection {
  private var good: String
  private let bad: String
  private let scenario: String
  private let metric: String
  private let variant: String?
  private let margin: MarginOverride?
  private let measuring: Measuring
  private let pairing: PairingSettings
  private var first: GitCheckout.Revision
  private var commits: [String]
  private let judged = Judged()
  /// The scenario of the bad revision; nil if git does not list it.
  private var file: ScenarioFile?

  /// The states of the commits that were judged against the good revision.
  private final class Judged {
    var states: [(commit: String, state: BisectSearch.CommitState)] = []
  }

  /// Finds the commits between two revisions, without building anything.
  ///
  /// - Parameters:
  ///   - good: A revision at which the metric is good.
  ///   - bad: A later revision at which the metric is bad.
  ///   - scenario: The name of the scenario.
  ///   - metric: The name of the metric.
  ///   - variant: The variant; nil for the default variant.
  ///   - margin: The smallest change that counts; nil for the scenario's margin.
  ///   - measuring: Makes the launches.
  ///   - pairing: The choices of how pairs are made.
  /// - Throws: `RevisionError`, `CancellationError`, or `Failure` for wrong usage.
  public init(
    from good: String, to bad: String, scenario: String, metric: String, variant: String?,
    margin: MarginOverride?, measuring: Measuring, pairing: PairingSettings
  ) throws {
    // The definitions of a worker's counters are only known after the build.
    if let definition = MetricCatalog.standard[metric] { try margin?.check(for: definition) }
    (self.good, self.bad, self.scenario, self.metric) = (good, bad, scenario, metric)
    (self.variant, self.margin) = (variant, margin)
    (self.measuring, self.pairing) = (measuring, pairing)
    (first, commits) = try measuring.workspace.unlessStopped {
      try Self.path(from: good, to: bad, measuring.workspace)
    }
  }

  /// Returns the good revision and the commits after it up to the bad one.
  private static func path(
    from good: String, to bad: String, _ workspace: Workspace
  ) throws -> (first: GitCheckout.Revision, commits: [String]) {
    let checkout = try workspace.checkout()
    let (first, last) = (try checkout.revision(good), try checkout.revision(bad))
    let base = try checkout.mergeBase(of: good, with: bad)
    guard base.commit == first.commit else {
      if base.commit == last.commit {
        throw Failure(
          "'\(good)' comes after '\(bad)'. Pass the good revision first.", status: .usage)
      }
      throw Failure(
        "'\(good)' is no ancestor of '\(bad)': their histories part at \(base.commit.prefix(10)). "
          + "Pass a good revision that is an ancestor, e.g. \(base.commit.prefix(10)).",
        status: .usage)
    }
    let commits = try checkout.commits(after: first, to: last)
    guard !commits.isEmpty else {
      throw Failure("there is no commit after '\(good)' up to '\(bad)'.", status: .usage)
    }
    return (first, commits)
  }

  /// Searches until one commit is left, the time is over or the user stops; a search is run once.
  ///
  /// The table lists the commits that may be the first bad one. The status is done if one is left.
  ///
  /// - Throws: `RevisionError`, `StoreError` and other errors of the last commit; `Failure` if the last
  ///   commit is not bad. Errors of other commits skip those.
  public mutating func run(into store: RunStore) throws -> (table: Table, status: ExitStatus) {
    try checkScenario()
    var search = BisectSearch(count: commits.count)
    // The last commit is tested first: a search between two good commits would end anywhere.
    switch try test(commits.count - 1, store) {
    case .bad: break
    case .good:
      throw Failure(
        "\(metric) did not regress from '\(good)' to '\(bad)' by its margin, so that no commit can be "
          + "found. Use a smaller --margin or another GOOD.", status: .inconclusive)
    case .unknown:
      throw Failure(
        "'\(bad)' could not be decided, so that no commit can be found. Use a greater --max-time, "
          + "--max-pairs or --margin.", status: .inconclusive)
    }
    try narrow(&search, store)
    var remark = ""
    while search.candidates.count == 1, !isStopped, remark.isEmpty {
      guard let inner = try merged(commits[search.candidates[0]], &remark, store) else { break }
      search = inner
      try narrow(&search, store)
    }
    let found = search.candidates
    // After a stop the remaining commits are still listed.
    let checkout = try measuring.workspace.checkout(isStoppable: false)
    let table = Table(
      id: "bisect", title: "Regressed by",
      columns: [.init("commit"), .init("summary", isFlexible: true)],
      rows: try found.map { index in
        let commit = commits[index]
        return [
          .init(String(commit.prefix(10)), .strong), .init(try checkout.subject(of: commit)),
        ]
      },
      caption: remark.isEmpty ? caption(search) : remark)
    if measuring.workspace.isCancelled() { return (table, .interrupted) }
    return (table, found.count == 1 ? .done : .inconclusive)
  }

  /// Refuses an unknown or invalid scenario of the bad revision before anything is built.
  private mutating func checkScenario() throws {
    let found = try FoundRevisions(measuring) { checkout in
      let last = try checkout.revision(bad)
      return (last, last)
    }
    try found.check([scenario], measuring.workspace)
    file = try measuring.workspace.unlessStopped { try found.file(scenario) }
  }

  private func narrow(_ search: inout BisectSearch, _ store: RunStore) throws {
    try search.run(while: { !isStopped }) { index in
      try skippingErrors(of: commits[index]) { try test(index, store) }
    }
  }

  /// Enters the branch of a merge whose last commit is bad.
  ///
  /// - Parameters:
  ///   - commit: The first bad commit.
  ///   - remark: Receives the reason if the merge has branches and none is bad.
  ///   - store: Receives the comparisons.
  /// - Returns: The search in the branch; nil if the commit is no merge or no branch is bad.
  /// - Throws: The errors of `run`.
  private mutating func merged(
    _ commit: String, _ remark: inout String, _ store: RunStore
  ) throws -> BisectSearch? {
    let branches = try measuring.workspace.unlessStopped {
      try measuring.workspace.checkout().branches(mergedBy: commit)
    }
    let outside = (good, first, commits)
    for branch in branches where !isStopped {
      (good, first, commits) = (branch.start.commit, branch.start, branch.commits)
      judged.states = []
      measuring.observe(
        .note("\(commit.prefix(10)) merges \(Wording.count(commits.count, "commit"))"))
      let last = commits.count - 1
      let state = try skippingErrors(of: commits[last]) { try test(last, store) }
      if state == .bad { return BisectSearch(count: commits.count) }
    }
    (good, first, commits) = outside
    if !branches.isEmpty {
      remark =
        "This commit is a merge. The merged commits did not regress alone, or were not decided."
    }
    return nil
  }

  private var isStopped: Bool { measuring.isOutOfTime() || measuring.workspace.isCancelled() }

  /// Returns the reason why several commits are left; empty for one.
  private func caption(_ search: BisectSearch) -> String {
    guard let low = search.candidates.first, let high = search.candidates.last, low < high else {
      return ""
    }
    guard search.next != nil else {
      return "One of these commits. The others between could not be built, measured or decided."
    }
    let before = low == 0 ? first.commit : commits[low - 1]
    let reason = measuring.workspace.isCancelled() ? "the search was stopped" : "the time is over"
    return "One of these commits: \(reason). Continue with `perfkit bisect \(before.prefix(10)) "
      + "\(commits[high].prefix(10))` and the same options."
  }

  /// Tests a commit, and skips it if an error is specific to that commit.
  ///
  /// - Throws: Errors of the store, of git, or of the user's stop.
  private func skippingErrors(
    of commit: String, test: () throws -> BisectSearch.CommitState
  ) throws -> BisectSearch.CommitState {
    func skip(_ reason: String) -> BisectSearch.CommitState {
      measuring.observe(.note("skipping \(commit.prefix(10)): \(reason)"))
      return .unknown
    }
    do {
      return try test()
    } catch RevisionError.buildFailed(let revision, let command, let log, _) {
      return skip("\(revision) does not build: `\(command)` failed; log: \(log)")
    } catch let error as RevisionError {
      guard case .submodule = error else { throw error }
      return skip("\(error)")
    } catch let error as ScenarioError {
      return skip("\(error)")
    } catch let error as RunnerError {
      return skip("\(error)")
    } catch let failure as Failure {
      return skip(failure.message)
    }
  }

  private func built(_ base: String, _ commit: String) throws -> PairedSides {
    let built = try BuiltRevisions(measuring: measuring, layouts: pairing.layouts) { checkout in
      (try checkout.revision(base), try checkout.revision(commit))
    }
    // A commit before the scenario is measured by the file of the bad revision.
    guard !built.hasFile(of: scenario), let file else {
      return try built.sides(of: scenario, variant: variant, measuring: measuring)
    }
    return try built.sides(of: file, at: built.folder, variant: variant, measuring: measuring)
  }

  /// Refuses a metric that the program never has, and a margin whose unit does not fit the metric.
  ///
  /// - Throws: `Failure` for wrong usage.
  private func checkMetric(of sides: PairedSides) throws {
    let definition = try sides.definition(of: metric)
    try margin?.check(for: definition)
  }

  private func test(_ index: Int, _ store: RunStore) throws -> BisectSearch.CommitState {
    let commit = commits[index]
    var sides = try built(good, commit)
    // An unknown metric or a wrong unit is an error even if both ends have the same program.
    if index == commits.count - 1 { try checkMetric(of: sides) }
    // The nearest judged commits are the likeliest to have the same program.
    let distance = { (commit: String) in abs((commits.firstIndex(of: commit) ?? 0) - index) }
    let known = judged.states.filter { $0.state != .unknown }
      .sorted { distance($0.commit) < distance($1.commit) }
    let same: (commit: String, state: BisectSearch.CommitState)? =
      try sides.isUnreached
      ? (good, .good) : known.prefix(2).first { try built($0.commit, commit).isUnreached }
    if let same {
      measuring.observe(
        .note(
          "\(commit.prefix(10)): \(same.state), it runs the program of \(same.commit.prefix(10))"))
      judged.states.append((commit, same.state))
      return same.state
    }
    let gate = sides.scenario.gate
    let isCounted = MetricName.work.contains(metric)
    let margin = self.margin?.margin ?? gate.margin(of: metric)
    sides.policy = Scenario.GatePolicy(margin: margin, metrics: [metric: margin])
    try checkMetric(of: sides)
    let verdict: ComparisonVerdict
    if isCounted {
      // The counts decide without pairs.
      verdict = try measuring.compareWork(
        sides, into: store,
        by: { try measuring.count($0, $1, $2, $3, simulating: pairing.simulates) }
      ).verdict
      measuring.observe(.note("\(commit.prefix(10)): \(verdict)"))
    } else {
      let compared = try measuring.measure(sides, pairing, into: store)
      verdict = compared.comparison.combined
      measuring.observe(
        .note("\(commit.prefix(10)): \(verdict) (comparison \(compared.stored.id))"))
    }
    let state: BisectSearch.CommitState =
      switch verdict {
      case .regressed: .bad
      case .improved, .equivalent: .good
      case .inconclusive, .void: .unknown
      }
    judged.states.append((commit, state))
    return state
  }
}
