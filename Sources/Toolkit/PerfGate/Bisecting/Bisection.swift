internal import PerfModel
public import PerfReport
internal import PerfRunner
internal import PerfScenario
public import PerfStore

/// The search for the commit by which a metric regressed.
///
/// Each step measures a commit in pairs against the good revision and judges it like a gate: *regressed*
/// is bad, *equivalent* and *improved* are good. Other commits are skipped.
public struct Bisection {
  private let good: String
  private let bad: String
  private let scenario: String
  private let metric: String
  private let variant: String?
  private let margin: MarginOverride?
  private let measuring: Measuring
  private let pairing: PairingSettings
  private let first: GitCheckout.Revision
  private let commits: [String]

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

  /// Searches until one commit is left, the time is over or the user stops.
  ///
  /// The table lists the commits that may be the first bad one. The status is done if one is left.
  ///
  /// - Throws: `RevisionError`, `StoreError` and other errors of the last commit; `Failure` if the last
  ///   commit is not bad. Errors of other commits skip those.
  public func run(into store: RunStore) throws -> (table: Table, status: ExitStatus) {
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
        "'\(bad)' could not be decided, so that no commit can be found. Use a greater --max-pairs or "
          + "--margin.", status: .inconclusive)
    }
    try search.run(while: { !isStopped }) { index in
      try skippingErrors(of: commits[index]) { try test(index, store) }
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
      caption: caption(search))
    if measuring.workspace.isCancelled() { return (table, .interrupted) }
    return (table, found.count == 1 ? .done : .inconclusive)
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

  private func test(_ index: Int, _ store: RunStore) throws -> BisectSearch.CommitState {
    let commit = commits[index]
    let built = try BuiltRevisions(measuring: measuring) { checkout in
      (try checkout.revision(good), try checkout.revision(commit))
    }
    var sides = try built.sides(of: scenario, variant: variant, measuring: measuring)
    let margin = self.margin?.margin ?? sides.scenario.gate.margin(of: metric)
    sides.policy = Scenario.GatePolicy(margin: margin, metrics: [metric: margin])
    let catalog = sides.candidate.runnable.checked.catalog
    guard let definition = catalog[metric] else {
      throw Failure(
        "there is no metric '\(metric)'" + NearestName.hint(for: metric, among: catalog.names),
        status: .usage)
    }
    try self.margin?.check(for: definition)
    let compared = try measuring.measure(sides, pairing, gatingCount: 1, into: store)
    let verdict = compared.comparison.verdict
    measuring.observe(
      .note("\(commit.prefix(10)): \(verdict) (comparison \(compared.stored.id))"))
    switch verdict {
    case .regressed: return .bad
    case .improved, .equivalent: return .good
    case .inconclusive, .void: return .unknown
    }
  }
}
