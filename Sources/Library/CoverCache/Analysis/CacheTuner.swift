internal import Synchronization

/// Sets the limits of two tiers by what was asked of them: each gets what brings most hits.
///
/// It remembers the last requests, and from the miss ratio curve of each tier divides a budget: piece
/// by piece, always to the tier that gains more hits by it.
public final class CacheTuner: Sendable {
  /// A tier of the two.
  public enum Tier: String, CaseIterable, Sendable {
    /// Small covers.
    case thumbnail
    /// Large covers.
    case image
  }

  fileprivate struct History {
    var objects: [String: Int] = [:]
    var sizes: [Int] = []
    var requests: [Int] = []
  }

  private let windowCount: Int
  private let histories = Mutex<[Tier: History]>([:])

  /// Makes a tuner that knows nothing.
  ///
  /// - Parameter windowCount: How many of the last requests of each tier are remembered, at least 2.
  public init(windowCount: Int = 20_000) { self.windowCount = max(2, windowCount) }

  /// Notes that a cover was asked for.
  ///
  /// - Parameters:
  ///   - key: Its name.
  ///   - tier: Where it was looked for.
  ///   - bytes: What it takes when it is held.
  public func note(_ key: String, in tier: Tier, bytes: Int) {
    histories.withLock { histories in
      histories[tier, default: History()].note(key, bytes: bytes, windowCount: windowCount)
    }
  }

  /// Divides a budget so that the last requests would have had the most hits.
  ///
  /// - Parameters:
  ///   - budget: Bytes for both tiers together.
  ///   - pieces: Into how many equal pieces it is divided.
  /// - Returns: Bytes for each tier, together at most the budget. What brings no hit to anybody goes to
  ///   nobody.
  public func division(ofBytes budget: Int, pieces: Int = 64) -> [Tier: Int] {
    let curves = histories.withLock { histories in
      histories.mapValues { history in
        MissRatioCurve(history.requests) { history.sizes[$0] }
      }
    }
    let piece = max(1, budget / max(1, pieces))
    var division: [Tier: Int] = [:]
    var left = budget
    while left >= piece {
      // Over several pieces, since one alone may bring nothing where three bring much.
      var best: (tier: Tier, bytes: Int, gain: Double)?
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

  /// Divides a budget among the tiers of a cache, and sets their limits.
  ///
  /// - Parameters:
  ///   - cache: Whose limits of bytes change; those of objects stay.
  ///   - budget: Bytes for both tiers together.
  public func tune(_ cache: CoverCache, toBytes budget: Int) {
    let division = division(ofBytes: budget)
    for (tier, kind) in [(Tier.thumbnail, CoverKind.thumbnail), (.image, .image)] {
      guard let bytes = division[tier] else { continue }
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

  /// Numbers the objects anew, so that those which nobody asks for any more are forgotten.
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
