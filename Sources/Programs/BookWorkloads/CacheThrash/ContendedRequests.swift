internal import CoverCache
internal import Dispatch
internal import Synchronization

/// How concurrent readers access shared covers.
enum CacheAccess: String, CaseIterable {
  /// Each reader calls the tier, which uses locks.
  case direct
  /// Each reader calls an actor that owns the table, as in the Epilogue case study.
  case isolated = "actor"
}

/// Two concurrent readers that request the same covers and store missing ones.
struct ContendedRequests {
  private typealias Outcome = (elapsed: Duration, lost: Int)

  private static let readers = 2
  private static let rounds = 20

  /// The mean time of a request, in nanoseconds.
  let time: Double
  /// The number of stored covers that are missing at the end.
  let lost: Int

  /// Runs the readers, each of which goes through all keys repeatedly from a different start.
  ///
  /// The tier for direct access has no limits.
  init(keys: [String], cover: PixelBuffer, access: CacheAccess, policy: MemoryPolicy) {
    let orders = (0..<Self.readers).map { reader in
      let start = keys.count * reader / Self.readers
      return Array(keys[start...] + keys[..<start])
    }
    let outcome =
      switch access {
      case .direct: Self.direct(orders, cover, policy.makeTier(limits: TierLimits()))
      case .isolated: Self.isolated(orders, cover)
      }
    time = Double(outcome.elapsed.nanoseconds) / Double(Self.rounds * keys.count)
    lost = outcome.lost
  }

  private static func direct(
    _ orders: [[String]], _ cover: PixelBuffer, _ tier: any MemoryTier
  ) -> Outcome {
    let threads = BackgroundThreads()
    let began = ContinuousClock.now
    for (number, keys) in orders.enumerated() {
      threads.start("reader-\(number + 1)", nice: 0) {
        for _ in 0..<rounds {
          for key in keys where tier.cover(for: key) == nil { tier.insert(cover, for: key) }
        }
      }
    }
    threads.wait()
    return (ContinuousClock.now - began, orders[0].count { !tier.contains($0) })
  }

  private static func isolated(_ orders: [[String]], _ cover: PixelBuffer) -> Outcome {
    DetachedWork.result {
      let covers = CoverActor()
      let began = ContinuousClock.now
      await withTaskGroup { group in
        for keys in orders {
          group.addTask {
            for _ in 0..<rounds {
              for key in keys { await covers.request(key, orElse: cover) }
            }
          }
        }
      }
      let elapsed = ContinuousClock.now - began
      return (elapsed, await covers.missing(of: orders[0]))
    }
  }
}

/// A table without limits in an actor, as in an app that relies on the compiler for thread safety.
private actor CoverActor {
  private var table = BoundedTable<PixelBuffer>(limits: TierLimits())

  /// Looks up a cover and stores it if it is missing.
  func request(_ key: String, orElse cover: PixelBuffer) {
    guard table.value(for: key) == nil else { return }
    var removed: [PixelBuffer] = []
    _ = table.insert(cover, for: key, cost: cover.byteCount, removed: &removed)
  }

  func missing(of keys: [String]) -> Int { keys.count { !table.contains($0) } }
}
