internal import Synchronization

/// Divides a budget of bytes between two tiers so that recent requests would have had the most
/// hits.
///
/// The tuner remembers the last requests and computes the miss ratio curve of each tier. It chooses
/// the best of all divisions into equal pieces.
public final class CacheTuner: Sendable {
  fileprivate struct History {
    var objects: [String: Int] = [:]
    var sizes: [Int] = []
    var requests: [Int] = []
  }

  /// The bytes of a recommendation divided by the bytes that the recorded hits needed.
  private static let headroom = 2
  /// The largest share of the recorded hits that headroom may cost.
  private static let mostLost = 0.01

  private let windowCount: Int
  private let histories = Mutex<[CoverKind: History]>([:])

  /// Creates a tuner that remembers a number of requests per tier, at least 2.
  public init(windowCount: Int = 20_000) { self.windowCount = max(2, windowCount) }

  /// Records a request for a cover with its size in memory.
  public func note(_ key: String, in tier: CoverKind, bytes: Int) {
    histories.withLock { histories in
      histories[tier, default: History()].note(key, bytes: bytes, windowCount: windowCount)
    }
  }

  /// Returns the bytes per tier that would have given the last requests the most hits.
  ///
  /// They are together at most the budget, in equal pieces of it. Bytes that would add no hit stay
  /// unassigned.
  ///
  /// - Parameters:
  ///   - budget: The bytes of all tiers together.
  ///   - pieces: The number of pieces.
  ///   - counts: The limits on the number of objects per tier; by default none.
  /// - Returns: The bytes of each tier that gets any.
  /// - Complexity: O(*n* log *n* + *p*²) time for *n* remembered requests and *p* pieces.
  public func division(
    ofBytes budget: Int, pieces: Int = 64, counts: [CoverKind: Int] = [:]
  ) -> [CoverKind: Int] {
    Self.division(ofBytes: budget, pieces: pieces, curves(counts))
  }

  /// Returns the miss ratio curve of each tier.
  private func curves(_ counts: [CoverKind: Int]) -> [CoverKind: MissRatioCurve] {
    let histories = histories.withLock { $0 }
    return Dictionary(
      uniqueKeysWithValues: histories.map { tier, history in
        let curve = MissRatioCurve(history.requests, countLimit: counts[tier] ?? .max) {
          history.sizes[$0]
        }
        return (tier, curve)
      })
  }

  private static func division(
    ofBytes budget: Int, pieces: Int = 64, _ curves: [CoverKind: MissRatioCurve]
  ) -> [CoverKind: Int] {
    let piece = max(1, budget / max(1, pieces))
    let count = max(0, budget) / piece
    // The best choice with at most each number of pieces, for the tiers so far.
    var choices = Array(repeating: Choice(), count: count + 1)
    for (tier, curve) in curves.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      let hits = (0...count).map { curve.hits(capacity: $0 * piece) }
      choices = (0...count).map { total in
        var best = choices[total]
        for own in 0...total where hits[own] > 0 {
          let choice = choices[total - own]
          if choice.hits + hits[own] > best.hits
            || choice.hits + hits[own] == best.hits && choice.total + own < best.total
          {
            best = choice.adding(own, of: tier, hits: hits[own])
          }
        }
        return best
      }
    }
    return choices[count].pieces.mapValues { $0 * piece }
  }

  /// Returns the bytes per tier that are likely to give the next requests the most hits.
  ///
  /// The next requests differ from the recorded ones. So each tier gets twice the bytes that its hits
  /// needed, for the hits that are worth it, and the rest of the budget in the same ratio. If half of
  /// the budget is too small for more than a hundredth of the hits, e.g. because it holds no two large
  /// pages, the whole budget is divided for the most recorded hits instead.
  ///
  /// A budget for few large objects gains only the hits of a few neighbouring requests, which differ
  /// between two parts of a session: a fixed division can then have a few more hits.
  ///
  /// - Parameters:
  ///   - budget: The bytes of all tiers together.
  ///   - counts: The limits on the number of objects per tier; by default none.
  /// - Returns: The bytes of each tier that gets any, together at most the budget.
  public func recommendation(
    ofBytes budget: Int, counts: [CoverKind: Int] = [:]
  ) -> [CoverKind: Int] {
    let curves = self.curves(counts)
    func enlarged(_ needs: [CoverKind: Int]) -> [CoverKind: Int] {
      let all = needs.values.reduce(0, +)
      // Hits on empty objects alone need no bytes.
      guard all > 0 else { return needs }
      return needs.mapValues { Int(Double(budget) * Double($0) / Double(all)) }
    }
    func hits(_ division: [CoverKind: Int]) -> Int {
      division.reduce(0) { $0 + (curves[$1.key]?.hits(capacity: $1.value) ?? 0) }
    }
    let roomy = enlarged(Self.division(ofBytes: budget / Self.headroom, curves))
    let tight = enlarged(Self.division(ofBytes: budget, curves))
    return Double(hits(roomy)) >= Double(hits(tight)) * (1 - Self.mostLost) ? roomy : tight
  }

  /// Divides a budget between the tiers of a cache as recommended and sets their byte limits.
  ///
  /// The limits on the number of objects stay, and so does the byte limit of a tier without recorded
  /// requests. The other tiers have together at most the budget.
  public func tune(_ cache: CoverCache, toBytes budget: Int) {
    let kinds = histories.withLock { Array($0.keys) }
    let counts = kinds.map { ($0, cache.limits(of: $0).count) }
    let division = recommendation(
      ofBytes: budget, counts: Dictionary(uniqueKeysWithValues: counts))
    for (kind, count) in counts {
      cache.setLimits(TierLimits(count: count, bytes: division[kind] ?? 0), of: kind)
    }
  }
}

/// A number of pieces for each of some tiers, with the hits that they give.
private struct Choice {
  var pieces: [CoverKind: Int] = [:]
  var hits = 0
  /// The number of all pieces.
  var total = 0

  func adding(_ count: Int, of tier: CoverKind, hits: Int) -> Self {
    Self(
      pieces: pieces.merging([tier: count]) { $1 }, hits: self.hits + hits,
      total: total + count)
  }
}

extension CacheTuner.History {
  fileprivate mutating func note(_ key: String, bytes: Int, windowCount: Int) {
    if requests.count >= windowCount { forgetOldest(keeping: windowCount / 2) }
    let object = objects[key] ?? sizes.count
    if object == sizes.count {
      objects[key] = object
      sizes.append(bytes)
    }
    sizes[object] = bytes
    requests.append(object)
  }

  /// Renumbers the objects, which drops those without a request in the window.
  private mutating func forgetOldest(keeping count: Int) {
    let kept = requests.suffix(count)
    var numbers: [Int: Int] = [:]
    var newSizes: [Int] = []
    requests = kept.map { object in
      if let number = numbers[object] { return number }
      numbers[object] = newSizes.count
      newSizes.append(sizes[object])
      return newSizes.count - 1
    }
    sizes = newSizes
    objects = objects.compactMapValues { numbers[$0] }
  }
}
