internal import PerfModel
public import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// A repeated measurement of kept decisions, which shows whether they still pay.
public struct Revisit {
  private let measuring: Measuring
  private let pairing: PairingSettings
  private let plan: RevisitPlan
  private let store: RunStore
  /// The current scenario files, for an estimate of the time.
  private let library: ScenarioLibrary

  /// Plans the comparisons, without building or measuring.
  ///
  /// - Parameters:
  ///   - number: The number of the only decision to measure; nil for all.
  ///   - anchor: The name of the anchor; nil for the base of the first decision.
  ///   - pages: The folder with the pages of decisions.
  ///   - measuring: Makes the launches.
  ///   - pairing: The choices of how pairs are made.
  /// - Throws: `StoreError`, `RevisionError`, `ScenarioError`, `CancellationError`, or `Failure` if no
  ///   decision is kept.
  public init(
    only number: Int?, anchor: String?, pages: LedgerFolder, measuring: Measuring,
    pairing: PairingSettings
  ) throws {
    (self.measuring, self.pairing) = (measuring, pairing)
    let workspace = measuring.workspace
    let ledger = try Ledger.decisions(inStoreAt: measuring.storePath, and: pages)
    // Without any decision the store must exist, so that a wrong --store is reported.
    if ledger.isEmpty { _ = try RunStore(path: measuring.storePath, access: .reading) }
    let store = try RunStore(path: measuring.storePath)
    let (checkout, plan) = try workspace.unlessStopped {
      let checkout = try? workspace.checkout()
      let plan = try RevisitPlan(
        ledger, only: number, anchor: anchor, checkout: checkout, store: store)
      return (checkout, plan)
    }
    (self.plan, self.store) = (plan, store)
    if plan.hasRevisions, let checkout, let project = try workspace.project(in: checkout) {
      library = ScenarioLibrary(
        folder: "\(checkout.root)/\(try measuring.settings.folder(of: project))")
    } else {
      library = measuring.library
    }
  }

  // MARK: - Plan

  private func worst(_ items: [RevisitItem]) -> WorstCase {
    WorstCase(
      of: items.map(\.measured), pairing: pairing, settings: measuring.settings,
      times: LaunchTimes(in: store), file: library.file)
  }

  /// The plan in one sentence, with the longest time of the possible comparisons.
  public var sentence: String {
    "plan: \(Wording.count(plan.possible.count, "comparison")), "
      + pairing.limit(hasTime: measuring.settings.maxTime != nil) + "; "
      + worst(plan.possible).sentence(isPaired: true)
  }

  /// The plan as a document.
  public var document: Document {
    let rows = plan.items.map { item -> [Table.Cell] in
      let longest = worst([item]).text(of: item.scenario) ?? "unknown"
      return [
        .init(item.numbers, .strong), .init(item.scenario), .init(item.kind.rawValue),
        item.obstacle == nil ? .init(longest) : .init("not measured", .unknown),
        .init(item.titles.base), .init(item.titles.candidate), .init(item.obstacle ?? ""),
      ]
    }
    return Document(
      title: "revisit plan",
      blocks: [
        .paragraph(Wording.sentence(sentence)),
        .table(
          Table(
            id: "plan", title: "Comparisons",
            columns: [
              .init("decision"), .init("scenario"), .init("kind"), .init("at most", .trailing),
              .init("base", isDetail: true), .init("candidate", isDetail: true),
              .init("reason", isDetail: true),
            ], rows: rows)),
      ])
  }

  /// The plan for scripts.
  public var json: JSONValue {
    worst(plan.possible).plan([
      "max_pairs": .optional(pairing.maxPairs), "comparisons": .array(plan.items.map(\.json)),
    ])
  }

  // MARK: - Measuring

  /// Builds and measures the planned comparisons, one after the other.
  ///
  /// A comparison that cannot be built or measured has a result with the reason.
  ///
  /// - Returns: The results, up to the user's stop.
  /// - Throws: `Failure` if the most pairs permit no verdict.
  public func measure() throws -> RevisitReport {
    let prepared = plan.items.map { item in (item, Result { try sides(of: item) }) }
    let ready = prepared.compactMap { try? $0.1.get() }
    let counts = GatingCounts(of: ready, pairing)
    try pairing.check(counts)
    var left = ready.count
    var results: [RevisitResult] = []
    for (item, sides) in prepared {
      guard !measuring.workspace.isCancelled() else { break }
      do {
        let both = try sides.get()
        defer { left -= 1 }
        guard !measuring.isOutOfTime() else { throw Failure("--max-time was over before it") }
        let share = measuring.timeShare(among: left)
        let compared = try measuring.measure(
          both, pairing, among: counts, within: share, into: store)
        results.append(RevisitResult(item: item, compared: compared))
      } catch is CancellationError {
        break
      } catch {
        results.append(RevisitResult(item: item, reason: Failure(error).message))
      }
    }
    return RevisitReport(results: results)
  }

  private func sides(of item: RevisitItem) throws -> PairedSides {
    switch item.sides {
    case .impossible(let reason): throw Failure(reason)
    case .variants(let base, let candidate):
      return try measuring.sides(of: item.scenario, variants: base, candidate)
    case .revisions(let base, let candidate, let variant):
      let built = try BuiltRevisions(measuring: measuring, layouts: pairing.layouts) { _ in
        (base, candidate)
      }
      guard try built.scenarios.names().contains(item.scenario) else {
        throw Failure("\(candidate.title) no longer has a scenario '\(item.scenario)'")
      }
      guard try !built.isNew(item.scenario) else {
        throw Failure("\(base.title) has no scenario '\(item.scenario)'")
      }
      return try built.sides(of: item.scenario, variant: variant, measuring: measuring)
    }
  }
}
