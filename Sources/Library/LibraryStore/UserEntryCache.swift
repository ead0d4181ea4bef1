internal import Synchronization

/// A cached user entry that differs from the database.
public struct StaleUserEntry: Hashable, Sendable {
  /// The row of the work.
  public let workID: Int64
  /// The cached entry; nil is "no entry".
  public let cached: UserEntry?
  /// The entry in the database.
  public let stored: UserEntry?
}

/// A cache of the user entries of works, without a limit, until they are invalidated.
///
/// Any thread may call it. An entry takes a few hundred bytes, so a library of 50,000 books takes
/// some megabytes.
final class UserEntryCache: Sendable {
  private struct State {
    var answers: [Int64: UserEntry?] = [:]
    /// A number that changes with each invalidation.
    var generation = 0
  }

  private let state = Mutex(State())

  /// All cached answers, by work.
  var answers: [Int64: UserEntry?] { state.withLock { $0.answers } }

  /// A number that changes with each invalidation; take it before the transaction of a look-up.
  var generation: Int { state.withLock { $0.generation } }

  /// Returns the answer for a work, from memory or from `ask`; without a cache always from `ask`.
  ///
  /// An answer that was read during an invalidation is returned but not cached, because it may be
  /// older than the change. `generation` is that before the transaction of `ask`; nil when `ask`
  /// begins one.
  func entry<Failure: Error>(
    ofWork workID: Int64, isUsed: Bool, since generation: Int? = nil,
    orBy ask: () throws(Failure) -> UserEntry?
  ) throws(Failure) -> UserEntry? {
    guard isUsed else { return try ask() }
    let (known, current) = state.withLock { ($0.answers[workID], $0.generation) }
    if let known { return known }
    let answer = try ask()
    state.withLock { state in
      guard state.generation == generation ?? current else { return }
      state.answers.updateValue(answer, forKey: workID)
    }
    return answer
  }

  /// Drops the answer for a work.
  func invalidate(_ workID: Int64) {
    state.withLock { state in
      state.generation += 1
      state.answers.removeValue(forKey: workID)
    }
  }

  /// Drops all answers.
  func invalidateAll() {
    state.withLock { state in
      state.generation += 1
      state.answers.removeAll()
    }
  }
}
