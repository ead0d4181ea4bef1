public import CoverCache

/// A cache of background gradients for covers, keyed by palette and size.
///
/// The limits are the case study's: a hundred gradients, ten megabytes.
public final class GradientCache: Sendable {
  private let tier: any MemoryTier

  /// Creates an empty cache.
  public init(limits: TierLimits = TierLimits(count: 100, bytes: 10_000_000)) {
    tier = MemoryPolicy.lru.makeTier(limits: limits)
  }

  /// Returns the gradient of a palette, from its background at the top to its primary colour.
  ///
  /// - Throws: ``CoverError/invalidSize(_:)``, ``CoverError/outOfMemory(bytes:)``.
  public func gradient(of palette: Palette, size: PixelSize) throws(CoverError) -> PixelBuffer {
    func name(_ colour: RGBA) -> String { String(colour.word, radix: 16) }
    let key = "\(name(palette.background))-\(name(palette.primary))-\(size)"
    if let gradient = tier.cover(for: key) { return gradient }
    let gradient = try Self.draw(from: palette.background, to: palette.primary, size: size)
    tier.insert(gradient, for: key)
    return gradient
  }

  /// The counters and content size of the cache.
  public var metrics: CacheMetrics { tier.metrics }

  private static func draw(
    from top: RGBA, to bottom: RGBA, size: PixelSize
  ) throws(CoverError) -> PixelBuffer {
    try PixelBuffer(size: size) { bytes in
      let last = max(1, size.height - 1)
      let pixels = bytes.bindMemory(to: RGBA.self)
      for y in 0..<size.height {
        let colour = RGBA(
          red: mix(top.red, bottom.red, y, last), green: mix(top.green, bottom.green, y, last),
          blue: mix(top.blue, bottom.blue, y, last))
        pixels[y * size.width..<(y + 1) * size.width].update(repeating: colour)
      }
    }
  }

  /// Interpolates between two values and rounds to the nearest integer.
  private static func mix(_ first: UInt8, _ last: UInt8, _ line: Int, _ lines: Int) -> UInt8 {
    UInt8((Int(first) * (lines - line) + Int(last) * line + lines / 2) / lines)
  }
}
