internal import Synchronization

/// Divides a budget of bytes between two tiers so that recent requests would have had the most
/// hits.
///
/// The tuner remembers the last requests and computes the miss ratio curve of each tier. It hands
/// out the budget in pieces, each to the tier that gains the most hits per byte.
public final class CacheTuner: Sendable {
  fileprivate struct History {
    var objects: [String: Int] = [:]
    var sizes: [Int] = []
    var requests: [Int] = []
  }

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
  public func division(ofBytes budget: Int, pieces: Int = 64) -> [CoverKind: Int] {
    let curves = histories.withLock { histories in
      histories.mapValues { history in
        MissRatioCurve(history.requests) { history.sizes[$0] }
      }
    }
    let piece = max(1, budget / max(1, pieces))
    var division: [CoverKind: Int] = [:]
    var left = budget
    while left >= piece {
      // Several pieces are tried at once, since a single piece may gain nothing where three gain
      // much.
      var best: (tier: CoverKind, bytes: Int, gain: Double)?
      for (tier, curve) in curves.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        let held = division[tier, default: 0]
        let hits = curve.hits(capacity: held)
        var bytes = piece
        while bytes <= left {
          let gain = Double(curve.hits(capacity: held + bytes) - hits) / Double(bytes)
          if gain > best?.gain ?? 0 { best = (tier, bytes, gain) }
          bytes += piece
        }
      }
      guard let best else { break }
      division[best.tier, default: 0] += best.bytes
      left -= best.bytes
    }
    return division
  }

  /// Divides a budget between the tiers of a cache and sets their byte limits.
  ///
  /// The limits on the number of objects stay.
  public func tune(_ cache: CoverCache, toBytes budget: Int) {
    for (kind, bytes) in division(ofBytes: budget) {
      cache.setLimits(TierLimits(count: cache.limits(of: kind).count, bytes: bytes), of: kind)
    }
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
