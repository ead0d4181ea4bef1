internal import PerfModel
internal import PerfReport
internal import PerfStatistics
internal import PerfStore

extension Measuring {
  /// Counts some launches of a side, with the named metrics, into a run of the store.
  typealias CountLaunches = (
    _ side: PairedSides.Side, _ metrics: [String], _ launches: Int, _ store: RunStore
  ) throws -> Run

  /// Counts the work of both sides: two launches of each, then one more of each until the work is
  /// decided or four launches are made.
  ///
  /// If the work cannot be counted, the result has the reason: time decides.
  ///
  /// - Throws: `StoreError`, or `CancellationError` if the user stopped before the first count.
  func counted(
    _ design: ComparisonDesign.Counting, _ sides: PairedSides, into store: RunStore,
    by count: CountLaunches
  ) throws -> ComparisonDesign.Counting {
    var design = design
    var (base, candidate): ([Run], [Run]) = ([], [])
    do {
      var needsMore = true
      while needsMore {
        let launches = base.isEmpty ? WorkComparer.looks.lowerBound : 1
        let metrics = Array(design.policy.metrics.keys)
        func runOf(_ side: PairedSides.Side, _ name: String) throws -> Run {
          observe(.note("counting \(Wording.count(launches, "launch", "launches")) of the \(name)"))
          return try count(side, metrics, launches, store)
        }
        let before = try runOf(sides.base, "base")
        let after = try runOf(sides.candidate, "candidate")
        base.append(before)
        candidate.append(after)
        design.legs.append(.init(base: before.id, candidate: after.id))
        let work = WorkEvidence(design, base: base, candidate: candidate).comparison
        needsMore = work.needsLaunches && !workspace.isCancelled()
      }
    } catch let error as CancellationError {
      if design.legs.isEmpty { throw error }
    } catch let error as StoreError {
      throw error
    } catch {
      let reason = Failure(error).message
      observe(.note("the work is not counted further, and time decides: \(reason)"))
      if design.legs.isEmpty { design.obstacle = ErrorReason.clause(reason) }
    }
    return design
  }

  /// Compares the counted work of both sides, without pairs.
  ///
  /// - Throws: As `counted`, or `Failure` if the work cannot be counted.
  func compareWork(
    _ sides: PairedSides, into store: RunStore, by count: CountLaunches
  ) throws -> WorkComparison {
    let design = try counted(
      sides.counting(gatingCount: 1), sides, into: store, by: count)
    if let obstacle = design.obstacle { throw Failure("the work cannot be counted: \(obstacle)") }
    guard let work = try design.evidence(in: store).evidence?.comparison else {
      throw CancellationError()
    }
    return work
  }
}

extension PairedSides {
  /// Whether the work is counted: on request, by the scenario's gate, or because it gates.
  ///
  /// A change that cannot reach the program changes no work.
  func countsWork(_ settings: PairingSettings) -> Bool {
    !isUnreached
      && (settings.countsWork || policy == nil && scenario.countsWork || fullGate.namesWork)
  }

  /// Whether only counted metrics gate.
  func isDecidedByWorkAlone(_ settings: PairingSettings) -> Bool {
    countsWork(settings) && fullGate.namesOnlyWork
  }

  /// Returns the design of a count; `gatingCount` is the number of gating counted metrics in the
  /// whole invocation.
  func counting(gatingCount: Int) -> ComparisonDesign.Counting {
    ComparisonDesign.Counting(
      policy: fullGate.counted, gatingCount: gatingCount, isAlone: fullGate.namesOnlyWork)
  }
}

extension ComparisonDesign.Counting {
  /// The code of the warning about work without counts.
  static let notCounted = "work.not_counted"

  /// Returns whether only counted metrics gate, and all are decided.
  func decidesAlone(in store: RunStore) throws -> Bool {
    guard isAlone else { return false }
    return try evidence(in: store).evidence.map { $0.comparison.verdict != .inconclusive } ?? false
  }

  /// Returns a warning with the reason of each launch that has no counts.
  private static func failures(of run: Run) -> [RunWarning] {
    run.profiled.filter { $0.status != .completed && $0.status != .interrupted }.map { launch in
      RunWarning(code: notCounted, message: "launch \(launch.index) \(launch.status)")
    }
  }

  /// Returns the counts in a store, and warnings about the counted launches.
  ///
  /// - Throws: `StoreError`.
  func evidence(in store: RunStore) throws -> (evidence: WorkEvidence?, warnings: [RunWarning]) {
    if let obstacle {
      let warning = RunWarning(
        code: Self.notCounted, message: "the work was not counted, and time decides: \(obstacle)")
      return (nil, [warning])
    }
    guard !legs.isEmpty else { return (nil, []) }
    do {
      let runs = try legs.map { leg in
        (base: try store.run(id: leg.base), candidate: try store.run(id: leg.candidate))
      }
      let (base, candidate) = (runs.map(\.base), runs.map(\.candidate))
      var known: Set<RunWarning> = []
      let warnings = [("base", base), ("candidate", candidate)].flatMap { side, runs in
        runs.flatMap { $0.warnings + Self.failures(of: $0) }
          .map { $0.about("counted launches of the \(side)") }
      }
      return (
        WorkEvidence(self, base: base, candidate: candidate),
        warnings.filter { known.insert($0).inserted }
      )
    } catch StoreError.unknownRun(let id) {
      let warning = RunWarning(
        code: Self.notCounted,
        message: "the counted run \(id) was removed from the store, and time decides",
        remedy: "Repeat the comparison with --count.")
      return (nil, [warning])
    }
  }
}
