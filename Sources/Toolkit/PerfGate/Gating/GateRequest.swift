internal import PerfModel
internal import PerfRunner
internal import PerfScenario
public import PerfStore

/// A gate as the command line and `perfkit.yml` describe it, before anything is built or measured.
public struct GateRequest {
  private let measuring: Measuring
  private let pairing: PairingSettings
  private let target: GateTarget
  /// The scenarios to judge; at least one.
  private let names: [String]
  /// The variants of each scenario; none for the default variant.
  private let variants: [String]
  /// The folder of the scenario files, from the root of the repository.
  private let folder: String
  private let library: ScenarioLibrary
  /// Whether the scenarios are the project's, not the user's choice.
  private let isWhole: Bool
  /// Whether the project names the base, not the user.
  private let isProjectBase: Bool
  /// The folder of the project, from the root and with a slash at its end.
  private let place: String
  /// The controls that are measured in addition.
  private let controls: Result<[String], any Error>
  /// The shard to measure; nil for the whole gate.
  private let choice: ShardChoice?
  /// The options of the gate, by name, which all shards share.
  private let facts: [String: String]
  /// The scenarios that this machine measures, as far as they are known before a build.
  private var own: [String] { choice?.own(names) ?? names }

  /// Combines the command line with the project file.
  ///
  /// - Parameters:
  ///   - scenarios: The names of the scenarios; empty for the project's or all.
  ///   - variants: The variants of each scenario; empty for the default variant.
  ///   - against: A revision or baseline; nil for the project's or the merge base.
  ///   - isBudgetsOnly: Whether only budgets are judged.
  ///   - measuring: Makes the launches.
  ///   - pairing: The choices of how pairs are made.
  ///   - shard: The shard to measure; nil for the whole gate.
  /// - Throws: `ScenarioError`, `RevisionError`, `StoreError`, or `Failure` for wrong usage.
  public init(
    scenarios: [String], variants: [String], against: String?, isBudgetsOnly: Bool,
    measuring: Measuring, pairing: PairingSettings, shard: GateShard? = nil
  ) throws {
    try measuring.settings.checkLabel()
    let checkout = try? measuring.workspace.checkout()
    let project = try checkout.flatMap { try measuring.workspace.project(in: $0) } ?? ProjectFile()
    var settings = measuring.settings
    settings.isQuick = settings.isQuick || project.gate.isQuick
    settings.maxTime = settings.maxTime ?? project.gate.maxTime
    self.measuring = measuring.with(settings)
    self.pairing = pairing
    self.variants = variants
    target =
      isBudgetsOnly
      ? .nothing
      : try GateTarget(
        against ?? project.gate.against, measuring: self.measuring, checkout: checkout)
    // Revisions are measured with the repository's scenario files, whatever the working directory is.
    if target.isRevision {
      let folder = try settings.folder(of: project)
      self.folder = folder
      library =
        checkout.map { ScenarioLibrary(folder: "\($0.root)/\(folder)") } ?? self.measuring.library
    } else {
      let here = checkout?.place(of: measuring.workspace.workingDirectory) ?? ""
      folder = (here.isEmpty ? "" : here + "/") + (settings.scenarioFolder ?? "Scenarios")
      library = self.measuring.library
    }
    names = try Self.names(scenarios, project, in: library)
    (isWhole, isProjectBase, place) = (scenarios.isEmpty, against == nil, project.place)
    facts = Self.facts(scenarios, variants, target, self.measuring, pairing)
    let files = library
    choice = shard.map { shard in
      let root = checkout.map { "\($0.root)/\(project.place)" }
      return ShardChoice(
        shard: shard,
        times: CommittedTimes(ofProject: root ?? measuring.workspace.workingDirectory) {
          measuring.observe(.note($0))
        }, variants: variants
      ) { name in try? measuring.file(name, in: files).scenario.defaultVariant }
    }
    controls =
      target.isRevision
      ? Self.controls(of: choice?.own(names) ?? names, project, in: library) : .success([])
  }

  /// Returns the options that decide what a gate measures and how it judges, by name.
  private static func facts(
    _ scenarios: [String], _ variants: [String], _ target: GateTarget, _ measuring: Measuring,
    _ pairing: PairingSettings
  ) -> [String: String] {
    let settings = measuring.settings
    func text(_ number: (some CustomStringConvertible)?) -> String { number?.description ?? "" }
    return [
      "perfkit": measuring.workspace.version,
      "scenarios": scenarios.joined(separator: " "),
      "--variant": variants.joined(separator: " "),
      "--against": target.title,
      "--quick": "\(settings.isQuick)",
      "--max-time": text(settings.maxTime),
      "--set": settings.overrides.map { "\($0.name)=\($0.text)" }.joined(separator: " "),
      "--scenarios": settings.scenarioFolder ?? "",
      "--rate": text(settings.rate),
      "--engine": settings.engine.rawValue,
      "--no-profile": "\(!settings.isProfiled)",
      "--allocations": "\(settings.countsAllocations)",
      "--max-pairs": text(pairing.maxPairs),
      "--min-pairs": text(pairing.minPairs),
      "--count": "\(pairing.countsWork)",
      "--cache-sim": "\(pairing.simulates.contains(.cacheMisses))",
      "--branch-sim": "\(pairing.simulates.contains(.branchMisses))",
      "--randomize-layout": text(pairing.layouts),
      "--measure-same": "\(pairing.measuresSamePrograms)",
      "--allow-different-environments": "\(pairing.allowsDifferentEnvironments)",
    ]
  }

  /// Returns the requested scenarios, else the project's, else all.
  private static func names(
    _ requested: [String], _ project: ProjectFile, in library: ScenarioLibrary
  ) throws -> [String] {
    let named = requested.isEmpty ? project.gate.scenarios : requested
    let names = named.isEmpty ? try library.names() : named
    guard !names.isEmpty else {
      throw Failure(
        "there are no scenarios in '\(library.folder)'. Write one, or pass another --scenarios.")
    }
    return names
  }

  private static func controls(
    of names: [String], _ project: ProjectFile, in library: ScenarioLibrary
  ) -> Result<[String], any Error> {
    Result {
      try ControlScenarios(of: names, general: project.controls, file: library.file).additional
    }
  }

  /// The plan of the gate.
  ///
  /// A scenario that cannot be read is a result of its own later, so that its controls are missing here.
  public var plan: GatePlan {
    let controls = (try? controls.get()) ?? []
    let names = own
    let items =
      names.flatMap { name in
        Measuring.variants(named: variants).map { WorstCase.Item(name, $0) }
      } + controls.map { WorstCase.Item($0) }
    return GatePlan(
      target: target, names: names, controls: controls, isQuick: measuring.settings.isQuick,
      pairing: pairing, hasTime: measuring.settings.maxTime != nil,
      worst: WorstCase(
        of: items, pairing: target.isRevision ? pairing : nil,
        settings: measuring.settings, times: LaunchTimes(inStoreAt: measuring.storePath),
        file: library.file), shard: choice?.shard)
  }

  /// Refuses a gate that cannot be judged, as far as that is known before anything is built.
  ///
  /// - Throws: `ScenarioError`, `RevisionError` or `Failure`.
  public func check() throws {
    try checkPairing()
    if case .revision(let name) = target {
      _ = try FoundRevisions(measuring) { try sides(name, in: $0).revisions }
    }
    for name in names {
      let scenario = try measuring.file(name, in: library).scenario
      for variant in variants where scenario.variant(named: variant) == nil {
        throw ScenarioError.unknownVariant(
          variant, scenario: scenario.name, known: scenario.variants.map(\.name))
      }
    }
    _ = try controls.get()
  }

  /// Refuses options of pairs that the target does not have.
  private func checkPairing() throws {
    guard pairing.layouts == nil || target.isRevision else { throw PairingSettings.noLinks }
    guard pairing.countsWork, case .baseline(let name) = target else { return }
    throw Failure(
      "baseline '\(name)' has no counted launches to compare with. Gate against a revision, pass "
        + "--budgets-only to count for budgets of work, or leave out --count.", status: .usage)
  }

  private func sides(_ name: String?, in checkout: GitCheckout) throws -> GateTarget.Sides {
    try GateTarget.sides(name, isProjectBase: isProjectBase, at: place, in: checkout)
  }

  /// Returns the result of a candidate whose project file names another baseline than the target
  /// branch's file; nil without a target branch.
  private func baselineChange(
    _ ledger: () throws -> [Decision]
  ) throws -> GateResult? {
    guard isProjectBase, case .baseline = target,
      let checkout = try? measuring.workspace.checkout(), (try? checkout.targetBranch()) != nil
    else { return nil }
    let (revisions, upstream) = try sides(nil, in: checkout)
    let rules = [revisions.base, revisions.candidate].map {
      GateRules(of: $0, in: checkout, place: place)
    }
    guard let upstream, upstream.gate.against != rules[1].project?.gate.against else { return nil }
    return try rules[0].changes(to: rules[1], upstream: upstream)
      .first { $0.subject == ProjectFile.name }?
      .decided(by: ledger(), base: revisions.base.commit).result
  }

  /// Refuses a gate without a valid scenario file: a typing error must not cost a build.
  private func checkFiles() throws {
    let results = names.map { name in Result { try measuring.file(name, in: library) } }
    guard !results.contains(where: { (try? $0.get()) != nil }) else { return }
    _ = try results.first?.get()
  }

  /// Measures and judges all scenarios; revisions are built first.
  ///
  /// - Parameter openStore: Opens the store for runs and comparisons; called after the build.
  /// - Returns: The report, with the worst status of all results.
  /// - Throws: `RevisionError`, `ScenarioError`, `StoreError`, `CancellationError` or `Failure`. A
  ///   scenario that cannot be measured is a result instead.
  public func judge(into openStore: () throws -> RunStore) throws -> GateReport {
    try checkPairing()
    let pages = LedgerFolder(in: measuring.workspace)
    let results: [GateResult]
    var note: String?
    var split = choice?.split(names)
    var facts = facts
    switch target {
    case .nothing, .baseline:
      let baseline: String? = if case .baseline(let name) = target { name } else { nil }
      let store = try openStore()
      let change = try baselineChange { try Ledger.decisions(in: store, and: pages) }
      let isFirst = choice.map { $0.shard.number == 1 } ?? true
      if choice != nil {
        facts["the work tree"] = try? measuring.workspace.checkout(store: measuring.storePath)
          .revision(GitCheckout.workTree).tree
      }
      results =
        try [isFirst ? change : nil].compactMap(\.self)
        + StoredGate(
          measuring: measuring, baseline: baseline, pairing: pairing, pages: pages
        ).judge(
          names, only: choice?.own(names), isWhole: isWhole && isFirst, variants: variants,
          into: store)
    case .revision(let name):
      try checkFiles()
      var upstream: ProjectFile?
      let built = try BuiltRevisions(measuring: measuring, layouts: pairing.layouts) { checkout in
        let found = try sides(name, in: checkout)
        upstream = found.upstream
        return found.revisions
      }
      var gate = RevisionGate(
        measuring: measuring, pairing: pairing, revisions: built, pages: pages, upstream: upstream,
        against: isProjectBase ? nil : name)
      gate.choice = choice
      results = gate.judge(
        names, isWhole: isWhole, variants: variants, into: try openStore())
      note = gate.note
      split = gate.split
      facts["the base"] = built.base.revision.commit
      facts["the work tree"] = built.candidate.revision.tree
    }
    let status =
      measuring.workspace.isCancelled() ? .interrupted : ExitStatus.worst(results.map(\.status))
    return GateReport(
      results: results, status: status, scenarios: folder,
      projectFile: place + ProjectFile.name, note: note,
      part: choice.flatMap { choice in
        split.map { GatePart(shard: choice.shard, split: $0, facts: facts) }
      })
  }
}
