internal import Synchronization

/// What a cache of user entries has done.
public struct UserEntryCacheMetrics: Hashable, Sendable {
  /// Questions that were answered from memory.
  public internal(set) var hitCount = 0
  /// Questions that went to the database.
  public internal(set) var missCount = 0
  /// Works whose answer was dropped because somebody said that it changed.
  public internal(set) var invalidationCount = 0
  /// Works of which an answer is held, also "no entry".
  public internal(set) var objectCount = 0
}

/// A cached user entry that is no longer what the database says.
public struct StaleUserEntry: Hashable, Sendable {
  /// The row of the work.
  public let workID: Int64
  /// What the cache answers; nil is "no entry".
  public let cached: UserEntry?
  /// What the database says.
  public let stored: UserEntry?
}

/// The first entry of each work that was asked for, kept for ever or until it is invalidated.
///
/// Any thread. It has no limit: an entry takes some hundred bytes, and a library of 50,000 books some
/// megabytes.
final class UserEntryCache: Sendable {
  private struct State {
    var answers: [Int64: UserEntry?] = [:]
    /// Changes with each invalidation.
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

  /// All answers that are held, by work.
  var answers: [Int64: UserEntry?] { state.withLock { $0.answers } }

  /// Returns the answer for a work, from memory or by asking.
  ///
  /// An answer that was read while somebody invalidated is returned but not kept: it may have been
  /// read before the change.
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

  /// Forgets the answer for a work.
  func invalidate(_ workID: Int64) {
    state.withLock { state in
      state.generation += 1
      if state.answers.removeValue(forKey: workID) != nil { state.metrics.invalidationCount += 1 }
    }
  }

  /// Forgets all answers.
  func invalidateAll() {
    state.withLock { state in
      state.generation += 1
      state.metrics.invalidationCount += state.answers.count
      state.answers.removeAll()
    }
  }
}
