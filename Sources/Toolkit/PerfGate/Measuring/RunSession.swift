internal import PerfModel
internal import PerfProfile
internal import PerfReport
internal import PerfRunner
internal import PerfStore

/// A session of a run, which makes launches one at a time and stores each one when it ends.
final class RunSession {
  private let draft: RunDraft
  private let workspace: Workspace
  private let store: RunStore
  private let scratch: ScratchFolder
  private var launches: LaunchSequence
  /// Whether the run is stored; it is stored at its first launch, so that a failed setup leaves no run.
  private var hasBegun: Bool
  /// Whether the stored run has a launch.
  private var hasLaunches: Bool

  /// Prepares the data of all launches.
  ///
  /// - Parameters:
  ///   - draft: The run.
  ///   - workload: The worker's description of the workload; nil for a command.
  ///   - workspace: The surroundings of the measurement.
  ///   - store: Receives the run.
  ///   - isOutOfTime: Whether no further launch may start.
  ///   - observe: Called with each event.
  /// - Throws: `RunnerError`, `StoreError`, `RevisionError.notWritable`, or `Failure` if another process
  ///   measures the run.
  init(
    _ draft: RunDraft, _ workload: WorkerDescription.Workload?, in workspace: Workspace,
    into store: RunStore, isOutOfTime: @escaping @Sendable () -> Bool,
    observe: (RunEvent) -> Void
  ) throws {
    (self.draft, self.workspace, self.store) = (draft, workspace, store)
    hasBegun = draft.earlier != nil
    hasLaunches = hasBegun
    let scratch = try ScratchFolder(draft.plan.scratchDirectory)
    guard !scratch.isTaken else { throw draft.isInUse }
    do {
      if draft.earlier != nil {
        // It stays if this session is killed.
        let began = RunWarning.resumed("began at \(workspace.now().short)")
        guard try store.reopen(draft.id, adding: began) == draft.plan.made else {
          throw draft.isInUse
        }
      }
      let symbols = SymbolCache(
        load: store.readSymbols(keys:visit:), change: store.changeSymbols(keys:change:))
      launches = try draft.runner(workload, in: workspace, isOutOfTime: isOutOfTime).begin(
        symbols: symbols, symbolication: workspace.symbolication, observe: observe)
    } catch {
      scratch.remove()
      throw error
    }
    self.scratch = scratch
  }

  /// Makes and stores the next launch; a run whose first launch cannot be made is removed.
  ///
  /// - Returns: False if there was none to make, the user stopped or the time is over.
  /// - Throws: `RunnerError` or `StoreError`.
  func makeNext(_ observe: (RunEvent) -> Void) throws -> Bool {
    do {
      return try launches.makeNext { event in
        switch event {
        case .launching where !hasBegun:
          try store.begin(draft.run(launches: []))
          hasBegun = true
        case .launched(let launch) where !draft.plan.made.contains(launch.index):
          try store.append(draft.redaction(launch), to: draft.id)
          hasLaunches = true
        default: break
        }
        // A launch that is displayed is stored already.
        observe(event)
      }
    } catch {
      if hasBegun, !hasLaunches { try? store.remove(run: draft.id) }
      throw error
    }
  }

  /// Stores what the launches have in common.
  ///
  /// - Returns: The run. A run without launches is not stored.
  /// - Throws: `StoreError`.
  func finish(_ observe: (RunEvent) -> Void) throws -> Run {
    var outcome = try launches.finish(observe)
    let outdated = outcome.profile.flatMap {
      workspace.outdatedProgram($0, of: draft.started)
    }
    outcome.warnings += [draft.changedProgram, outdated].compactMap(\.self)
    let made = draft.run(
      draft.earlier.map { outcome.continuing($0, at: workspace.now()) } ?? outcome)
    if hasBegun { try store.finish(made) }
    return made
  }

  /// Removes the temporary files.
  func close() { scratch.remove() }
}

extension RunWarning {
  /// Returns the warning about a later session of a run, with what that session did.
  fileprivate static func resumed(_ what: String) -> RunWarning {
    RunWarning(
      code: resumedCode, message: "the run was cut off; a later session \(what)",
      remedy: "The machine may have been in another state: compare the launches of both sessions.")
  }
}

extension RunOutcome {
  /// Returns the outcome of a whole run after a session that completed it.
  ///
  /// - Parameters:
  ///   - run: The run as the earlier session left it.
  ///   - now: The end of this session.
  /// - Returns: The launches, the profile and the warnings of both sessions.
  func continuing(_ run: Run, at now: Timestamp) -> RunOutcome {
    let kept = run.launches.filter { $0.status != .interrupted }
    let both = joinedProfile(after: run, kept)
    var added: [RunWarning] = []
    if let first = launches.map(\.index).min(), let last = launches.map(\.index).max() {
      added.append(
        .resumed(
          "at \(now.short) made "
            + (first == last ? "launch \(first)" : "the launches from \(first) to \(last)")))
    }
    if let covered = both?.audit.launches {
      let lost = kept.count { !$0.isWarmup && !covered.contains($0.index) }
      added.append(
        RunWarning(
          code: "run.samples_lost",
          message:
            "the samples of \(Wording.count(lost, "launch", "launches")) were lost when the run was "
            + "cut off; the profile covers the others"))
    }
    return RunOutcome(
      launches: (kept + launches).sorted { $0.index < $1.index }, profile: both, work: work,
      warnings: (run.warnings + warnings + added).uniqued(), notes: notes,
      wasInterrupted: wasInterrupted)
  }

  /// Returns the profile of both sessions, whose audit names its launches if the samples of others are lost.
  private func joinedProfile(after run: Run, _ kept: [Launch]) -> Profile? {
    let before = Set(kept.filter { !$0.isWarmup }.map(\.index))
    let made = Set(launches.filter { !$0.isWarmup }.map(\.index))
    guard let old = run.profile else {
      return before.isEmpty ? profile : profile?.covering(made)
    }
    let covered = old.audit.launches ?? before
    let both = profile.map { old.merged(with: $0) } ?? old
    let all = covered.union(profile == nil ? [] : made)
    return all == before.union(made) ? both : both.covering(all)
  }
}
