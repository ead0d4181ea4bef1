internal import PerfModel
public import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
public import PerfStore

/// One try of a campaign: the checkout against the last kept state.
///
/// The campaign spends one error budget over all its tries (`OnlineErrorBudget`). A change is kept if
/// the metric improved by the margin at the try's level, and no gating metric of the scenario
/// regressed; counted work must not regress either.
public struct Trying {
  /// The user's choices; all but the reason are fixed by the first try of a campaign.
  public struct Request: Sendable {
    /// The scenario; nil for the latest campaign's.
    public var scenario: String?
    /// The variant; nil for the campaign's or the default variant.
    public var variant: String?
    /// The metric that changes must improve; nil for the campaign's or `cpu.total`.
    public var metric: String?
    /// The smallest gain worth keeping; nil for the campaign's or 1 %.
    public var margin: MarginOverride?
    /// The revision before the first try; nil for HEAD.
    public var anchor: String?
    /// The reason for the change.
    public var because: String?
    /// Whether a new campaign begins.
    public var beginsCampaign = false

    /// Creates a request without choices.
    public init() {}
  }

  /// The pairs of the measurement of the total: without looks, so that it is not selected.
  public static let totalPairs = 20
  /// The default of the smallest gain worth keeping.
  static let margin = Scenario.Margin(relative: 0.01)

  let request: Request
  let measuring: Measuring
  let pairing: PairingSettings

  /// Creates a try.
  public init(_ request: Request, measuring: Measuring, pairing: PairingSettings) {
    (self.request, self.measuring, self.pairing) = (request, measuring, pairing)
  }

  /// Measures and decides; a kept change becomes the anchor of the next try.
  ///
  /// - Parameter store: Receives the runs, the comparisons and the campaign.
  /// - Returns: The decision and the status; after a stop the total may be missing.
  /// - Throws: `Failure` for wrong usage, or if the try is undecided because of a stop or the time;
  ///   `RevisionError`, `ScenarioError`, `RunnerError`, `StoreError`, `StatisticsError`,
  ///   `CancellationError`.
  public func run(into store: RunStore) throws -> (document: TryDocument, status: ExitStatus) {
    let known = request.beginsCampaign ? nil : try store.campaign(of: request.scenario)
    if let known { try check(known) }
    let scenario =
      try known?.scenario ?? request.scenario
      ?? measuring.onlyScenario("the scenario is missing: there is no campaign yet")
    let anchor = known?.anchor.commit ?? request.anchor ?? "HEAD"
    let built = try BuiltRevisions(
      measuring: measuring, scenarios: [scenario], layouts: pairing.layouts
    ) { checkout in
      let pair = (
        base: try checkout.revision(anchor), candidate: try checkout.revision(GitCheckout.workTree)
      )
      guard pair.base.tree != pair.candidate.tree else {
        throw Failure(
          "the checkout equals the anchor \(known?.anchor.name ?? anchor), so there is nothing to "
            + "try. Change the sources first.", status: .usage)
      }
      return pair
    }
    var sides = try built.sides(
      of: scenario, variant: known?.variant ?? request.variant, measuring: measuring)
    var campaign = try known ?? newCampaign(scenario, sides, built)
    let definition = try sides.definition(of: campaign.metric)
    let guards = sides.gating.filter { $0 != campaign.metric }
    let gate = sides.fullGate
    let counted = sides.countsWork(pairing) ? gate.counted.metrics : [:]
    sides.policy = policy(of: campaign, gate, counting: counted)
    guard !sides.isUnreached else {
      let attempt = Campaign.Try(
        because: request.because, decided: measuring.workspace.now(), level: nil,
        objection: "the program is the same as the anchor's", measured: nil)
      return (TryDocument(attempt, of: campaign, definition), .done)
    }
    let level = OnlineErrorBudget().level(after: campaign.outcomes)
    var pairing = pairing
    // A change is kept by its time, which equal work does not decide.
    pairing.waitsForTime = true
    // Work only prevents that a change is kept, which needs no error.
    let counts = GatingCounts(timed: OnlineErrorBudget.gatingCount(level: level))
    try pairing.check(counts, isTry: true)
    let paired = try measuring.measure(sides, pairing, among: counts, into: store)
    try checkDecided(paired)
    let objection = Self.objection(to: paired.comparison, campaign, guards: guards, gate)
    let gain = gain(paired, campaign, definition)
    campaign.tries.append(
      Campaign.Try(
        because: request.because, decided: measuring.workspace.now(), level: level,
        objection: objection, measured: gain.map { Campaign.Gain($0, paired) },
        claimed: objection == nil ? gain?.claimed(level: level) : nil))
    if objection == nil {
      campaign.anchor = Campaign.State(
        commit: built.candidate.revision.commit, name: "try \(campaign.tries.count)")
    }
    campaign = try save(campaign, after: known, in: store)
    let last = campaign.tries.count - 1
    var status = ExitStatus.done
    if objection == nil {
      try built.checkout.protect(
        built.candidate.revision, as: "campaign-\(campaign.number)-\(campaign.tries.count)")
      status = try measureTotal(of: &campaign, built, definition, store)
    }
    let document = TryDocument(
      campaign.tries[last], of: campaign, definition, measured: paired.document(),
      isStopped: measuring.workspace.isCancelled())
    return (document, status)
  }

  /// Measures the start of the campaign against the checkout once more, with launches that no
  /// decision has selected.
  private func measureTotal(
    of campaign: inout Campaign, _ built: BuiltRevisions, _ definition: MetricDefinition,
    _ store: RunStore
  ) throws -> ExitStatus {
    measuring.observe(.note("measuring the campaign's start again"))
    do {
      let start = campaign.start.commit
      let whole = try BuiltRevisions(measuring: measuring, layouts: pairing.layouts) { checkout in
        (base: try checkout.revision(start), candidate: built.candidate.revision)
      }
      var sides = try whole.sides(
        of: campaign.scenario, variant: campaign.variant, measuring: measuring)
      sides.policy = policy(of: campaign, sides.gate, counting: [:])
      let paired = try measuring.measure(
        sides, PairingSettings(maxPairs: Self.totalPairs, minPairs: Self.totalPairs),
        among: GatingCounts(timed: 1), into: store)
      let last = campaign.tries.count - 1
      campaign.tries[last].total = gain(paired, campaign, definition).map { .init($0, paired) }
      campaign = try store.save(campaign)
    } catch is CancellationError {
      // Stopped, or out of time, before the first pair: the try is decided without its total.
    }
    return measuring.workspace.isCancelled() ? .interrupted : .done
  }

  /// Saves a campaign, unless another process has added a try meanwhile.
  private func save(
    _ campaign: Campaign, after known: Campaign?, in store: RunStore
  ) throws -> Campaign {
    if let known, try store.campaign(of: known.scenario) != known {
      throw Failure(
        "campaign \(known.number) changed during the measurement: another try has ended. Repeat "
          + "the command.")
    }
    return try store.save(campaign)
  }

  private func gain(
    _ paired: PairedComparison, _ campaign: Campaign, _ definition: MetricDefinition
  ) -> PairedGain? {
    let design = paired.stored.design
    return PairedGain(
      paired.pairs, of: definition, margin: campaign.margin,
      launchesPerPair: design.launchesPerPair ?? 1, layouts: design.layouts ?? 1)
  }
}

extension Campaign.Gain {
  fileprivate init(_ gain: PairedGain, _ paired: PairedComparison) {
    self.init(
      change: gain.change, low: gain.interval.lowerBound, high: gain.interval.upperBound,
      comparison: paired.stored.id)
  }
}
