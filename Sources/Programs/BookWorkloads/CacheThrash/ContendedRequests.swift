internal import CoverCache
internal import Dispatch
internal import Synchronization

/// How readers at one time come to covers that they share.
enum CacheAccess: String, CaseIterable {
  /// Each calls the tier itself, which has locks of its own.
  case direct
  /// Each waits for its turn at an actor that has the table, as the Epilogue case study guards it.
  case isolated = "actor"
}

/// Two readers at one time who ask for the same covers, and store those that are not there.
struct ContendedRequests {
  private typealias Outcome = (elapsed: Duration, lost: Int)

  private static let readers = 2
  private static let rounds = 20

  /// The mean time of a request, in nanoseconds.
  let time: Double
  /// Covers that were stored and are not there in the end.
  let lost: Int

  /// Lets the readers go through all keys again and again, each from another one on.
  ///
  /// - Parameters:
  ///   - keys: What they ask for.
  ///   - cover: What they store, under each of the keys.
  ///   - access: How they come to it.
  ///   - policy: The tier of direct access; nothing has to leave it.
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

/// A table without limits behind an actor: an app that leaves thread safety to the compiler.
private actor CoverActor {
  private var table = BoundedTable<String, PixelBuffer>(limits: TierLimits(), policy: LRUPolicy())

  /// Looks a cover up, and stores it when it is not there.
  func request(_ key: String, orElse cover: PixelBuffer) {
    guard table.value(for: key) == nil else { return }
    var removed: [PixelBuffer] = []
    _ = table.insert(cover, for: key, cost: cover.byteCount, removed: &removed)
  }

  func missing(of keys: [String]) -> Int { keys.count { !table.contains($0) } }
}
