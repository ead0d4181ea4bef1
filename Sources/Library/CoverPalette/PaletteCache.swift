public import CoverCache
internal import Synchronization

/// A cache of palettes: the most recent ones in memory, all of them on disk for a limited time.
///
/// A palette in either tier is extracted again when it is older than ``maximumAge``, or further in
/// the future than that because a clock was set back.
public final class PaletteCache: Sendable {
  /// The maximum age of a palette: the case study's 30 days.
  public static let maximumAge = Duration.seconds(30 * 86_400)

  private let extractor: PaletteExtractor
  private let disk: DiskTier?
  private let clock: CoverClock
  private let memory: Mutex<BoundedTable<StoredPalette>>
  private let diskHits = Atomic<Int>(0)
  private let extractions = Atomic<Int>(0)

  /// Creates a cache with the case study's number of palettes in memory.
  ///
  /// Only this cache may use the disk tier, which has ``maximumAge``.
  public init(
    extractor: PaletteExtractor = PaletteExtractor(), disk: DiskTier? = nil, count: Int = 50,
    clock: CoverClock = .system
  ) {
    self.extractor = extractor
    self.disk = disk
    self.clock = clock
    memory = Mutex(BoundedTable(limits: TierLimits(count: count)))
  }

  /// Returns a palette if it is in memory, and counts a hit or a miss.
  ///
  /// It never waits for a disk, so a frame thread may call it.
  public func palette(for key: String) -> Palette? {
    let now = clock.now()
    return memory.withLock { memory in
      guard let stored = memory.value(for: key) else { return nil }
      guard stored.isValid(at: now) else {
        memory.reject(key)
        return nil
      }
      return stored.palette
    }
  }

  /// Returns the palette of a cover from memory, from disk, or extracted from the decoded picture.
  ///
  /// `picture` is called only when no tier has the palette, which is then in memory and on disk.
  @discardableResult
  public func palette(
    for key: String, from picture: () throws(CoverError) -> PixelBuffer
  ) throws(CoverError) -> Palette {
    try palette(for: key) { () throws(CoverError) in extractor.palette(of: try picture()) }
  }

  /// Returns the palette of a cover from memory, from disk, or extracted from the whole JPEG file.
  ///
  /// `file` is called only when no tier has the palette, which is then in memory and on disk.
  @discardableResult
  public func palette(
    forEncoded key: String, file: () throws(CoverError) -> [UInt8]
  ) throws(CoverError) -> Palette {
    try palette(for: key) { () throws(CoverError) in
      try extractor.palette(of: try file(), cover: key)
    }
  }

  private func palette(
    for key: String, extract: () throws(CoverError) -> Palette
  ) throws(CoverError) -> Palette {
    if let palette = palette(for: key) { return palette }
    if let stored = disk?.contents(for: key).flatMap({ StoredPalette(bytes: $0) }),
      stored.isValid(at: clock.now())
    {
      diskHits.add(1, ordering: .relaxed)
      keep(stored, for: key)
      return stored.palette
    }
    let palette = try extract()
    extractions.add(1, ordering: .relaxed)
    let stored = StoredPalette(palette: palette, made: clock.now())
    keep(stored, for: key)
    // A failed write only makes the next start slower, so it is ignored.
    try? disk?.store(stored.bytes, for: key)
    return palette
  }

  private func keep(_ stored: StoredPalette, for key: String) {
    var removed: [StoredPalette] = []
    _ = memory.withLock { memory in
      memory.insert(stored, for: key, cost: MemoryLayout<StoredPalette>.size, removed: &removed)
    }
  }

  /// The counters and content size of the memory tier.
  public var metrics: CacheMetrics { memory.withLock { $0.metrics } }

  /// The number of palettes read from disk.
  public var diskHitCount: Int { diskHits.load(ordering: .relaxed) }

  /// The number of palettes extracted from pictures.
  public var extractionCount: Int { extractions.load(ordering: .relaxed) }
}
