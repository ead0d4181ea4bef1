public import PerfModel
internal import PerfRunner
internal import PerfScenario
public import PerfStore

extension Measuring {
  /// Measures variants in turn into the store: a launch of each variant, then the next launch of each.
  ///
  /// A machine that becomes slower or faster in the meantime does so for all variants alike. Every
  /// second round goes through the variants backwards, so that a steady drift favours none.
  ///
  /// - Parameters:
  ///   - runnable: The scenario.
  ///   - variants: The variants; nil for the default variant.
  ///   - store: Receives each launch as soon as it has ended.
  /// - Returns: A run for each variant, or the error that ended it. Runs may have been interrupted. A run
  ///   without launches is not stored.
  /// - Throws: The error of a calibration or of the store; `CancellationError`.
  public func measure(
    _ runnable: RunnableScenario, variants: [String?], into store: RunStore
  ) throws -> [Result<Run, any Error>] {
    var turns: [Turn] = []
    defer { for turn in turns { turn.close() } }
    let size = try calibratedSize(of: runnable, store: store)
    for variant in variants {
      let draft = try sessionDraft(runnable, variant: variant, size: size, store: store)
      let title = draft.plan.title
      observe(
        turns.isEmpty
          ? .begin(title: title, runs: variants.count, timeLeft: timeLeft) : .turn(title: title))
      turns.append(
        Turn(
          title: title,
          session: Result {
            try RunSession(
              draft, runnable.checked.workload, in: workspace, into: store,
              isOutOfTime: isOutOfTime
            ) { observe(.run($0)) }
          }))
    }
    var current = turns.count - 1
    func take(_ index: Int) {
      if index != current { observe(.turn(title: turns[index].title)) }
      current = index
    }
    var order = Array(turns.indices)
    while !order.isEmpty {
      order = order.filter { index in
        take(index)
        return turns[index].makeNext { observe(.run($0)) }
      }
      order.reverse()
    }
    return turns.indices.map { index in
      turns[index].session.flatMap { session in
        take(index)
        return Result { try session.finish { observe(.run($0)) } }
      }
    }
  }

  /// A run that takes turns with others.
  private struct Turn {
    let title: String
    /// The session, or the error that ended it.
    var session: Result<RunSession, any Error>

    /// Makes the next launch; returns false if the run makes no more.
    mutating func makeNext(_ observe: (RunEvent) -> Void) -> Bool {
      do {
        return try session.get().makeNext(observe)
      } catch {
        try? session.get().close()
        session = .failure(error)
        return false
      }
    }

    func close() { try? session.get().close() }
  }
}
