public import CoverCache
internal import Synchronization

/// The palettes of a library: the last ones in memory, all of them on disk for a while.
///
/// A palette is made anew when it is older than ``maximumAge``, in whatever tier it is. One that is
/// further in the future than that was made before a clock was set back, and is made anew, too.
public final class PaletteCache: Sendable {
  /// The age at which a palette is made anew: the case study's 30 days.
  public static let maximumAge = Duration.seconds(30 * 86_400)

  private let extractor: PaletteExtractor
  private let disk: DiskTier?
  private let clock: CoverClock
  private let memory: Mutex<BoundedTable<String, StoredPalette>>
  private let diskHits = Atomic<Int>(0)
  private let extractions = Atomic<Int>(0)

  /// Makes a cache.
  ///
  /// - Parameters:
  ///   - extractor: What makes the palettes that no tier has.
  ///   - disk: A tier of its own, with ``maximumAge``; nil for none.
  ///   - count: The most palettes in memory; the default is the case study's.
  ///   - clock: The time of day, by which palettes grow old.
  public init(
    extractor: PaletteExtractor = PaletteExtractor(), disk: DiskTier? = nil, count: Int = 50,
    clock: CoverClock = .system
  ) {
    self.extractor = extractor
    self.disk = disk
    self.clock = clock
    memory = Mutex(BoundedTable(limits: TierLimits(count: count), policy: LRUPolicy()))
  }

  /// Returns a palette if it is in memory; counts a hit or a miss.
  ///
  /// For the frame thread: it never waits for a disk.
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

  /// Returns the palette of a cover: from memory, from disk, or made from the picture.
  ///
  /// - Parameters:
  ///   - key: The name of the cover.
  ///   - picture: The decoded cover, called for only when no tier has the palette.
  /// - Returns: The palette, which is in memory and on disk from now on.
  /// - Throws: What `picture` throws.
  @discardableResult
  public func palette(
    for key: String, from picture: () throws(CoverError) -> PixelBuffer
  ) throws(CoverError) -> Palette {
    try palette(for: key) { () throws(CoverError) in extractor.palette(of: try picture()) }
  }

  /// Returns the palette of a cover: from memory, from disk, or made from the encoded file.
  ///
  /// - Parameters:
  ///   - key: The name of the cover.
  ///   - file: The whole JPEG file, called for only when no tier has the palette.
  /// - Returns: The palette, which is in memory and on disk from now on.
  /// - Throws: What `file` throws, and what the decoder says of it.
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
    // A disk that takes nothing makes the next start slower and does no other harm.
    try? disk?.store(stored.bytes, for: key)
    return palette
  }

  private func keep(_ stored: StoredPalette, for key: String) {
    var removed: [StoredPalette] = []
    _ = memory.withLock { memory in
      memory.insert(stored, for: key, cost: MemoryLayout<StoredPalette>.size, removed: &removed)
    }
  }

  /// What the tier in memory has done and holds.
  public var metrics: CacheMetrics { memory.withLock { $0.metrics } }

  /// How many palettes were read from disk.
  public var diskHitCount: Int { diskHits.load(ordering: .relaxed) }

  /// How many palettes were made from pictures.
  public var extractionCount: Int { extractions.load(ordering: .relaxed) }
}
