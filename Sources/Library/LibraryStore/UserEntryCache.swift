internal import Synchronization

/// The counters of a user entry cache.
public struct UserEntryCacheMetrics: Hashable, Sendable {
  /// Queries that were answered from memory.
  public internal(set) var hitCount = 0
  /// Queries that went to the database.
  public internal(set) var missCount = 0
  /// Works whose answer was invalidated.
  public internal(set) var invalidationCount = 0
  /// Works with a cached answer, including "no entry".
  public internal(set) var objectCount = 0
}

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
    var metrics = UserEntryCacheMetrics()
  }

  private let state = Mutex(State())

  var metrics: UserEntryCacheMetrics {
    state.withLock { state in
      var metrics = state.metrics
      metrics.objectCount = state.answers.count
      return metrics
    }
  }

  /// All cached answers, by work.
  var answers: [Int64: UserEntry?] { state.withLock { $0.answers } }

  /// Returns the answer for a work, from memory or from `ask`.
  ///
  /// An answer that was read during an invalidation is returned but not cached, because it may be
  /// older than the change.
  func entry<Failure: Error>(
    ofWork workID: Int64, orBy ask: () throws(Failure) -> UserEntry?
  ) throws(Failure) -> UserEntry? {
    let (known, generation) = state.withLock { state -> (UserEntry??, Int) in
      let known = state.answers[workID]
      if known == nil { state.metrics.missCount += 1 } else { state.metrics.hitCount += 1 }
      return (known, state.generation)
    }
    if let known { return known }
    let answer = try ask()
    state.withLock { state in
      guard state.generation == generation else { return }
      state.answers.updateValue(answer, forKey: workID)
    }
    return answer
  }

  /// Drops the answer for a work.
  func invalidate(_ workID: Int64) {
    state.withLock { state in
      state.generation += 1
      if state.answers.removeValue(forKey: workID) != nil { state.metrics.invalidationCount += 1 }
    }
  }

  /// Drops all answers.
  func invalidateAll() {
    state.withLock { state in
      state.generation += 1
      state.metrics.invalidationCount += state.answers.count
      state.answers.removeAll()
    }
  }
}
