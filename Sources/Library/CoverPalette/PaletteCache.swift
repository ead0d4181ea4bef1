public import CoverCache
internal import Synchronization

/// The palettes of a library: the last ones in memory, all of them on disk for a while.
public final class PaletteCache: Sendable {
  /// The age at which a palette is made anew: the case study's 30 days.
  public static let maximumAge = Duration.seconds(30 * 86_400)

  private let extractor: PaletteExtractor
  private let disk: DiskTier?
  private let memory: Mutex<BoundedTable<String, Palette>>
  private let extractions = Atomic<Int>(0)

  /// Makes a cache.
  ///
  /// - Parameters:
  ///   - extractor: What makes the palettes that no tier has.
  ///   - disk: A tier of its own, with ``maximumAge``; nil for none.
  ///   - count: The most palettes in memory; the default is the case study's.
  public init(
    extractor: PaletteExtractor = PaletteExtractor(), disk: DiskTier? = nil, count: Int = 50
  ) {
    self.extractor = extractor
    self.disk = disk
    memory = Mutex(BoundedTable(limits: TierLimits(count: count), policy: LRUPolicy()))
  }

  /// Returns a palette if it is in memory; counts a hit or a miss.
  ///
  /// For the frame thread: it never waits for a disk.
  public func palette(for key: String) -> Palette? {
    memory.withLock { $0.value(for: key) }
  }

  /// Returns the palette of a cover: from memory, from disk, or made from the picture.
  ///
  /// - Parameters:
  ///   - key: The name of the cover.
  ///   - picture: The cover, called for only when no tier has the palette.
  /// - Returns: The palette, which is in memory and on disk from now on.
  /// - Throws: What `picture` throws.
  @discardableResult
  public func palette(
    for key: String, from picture: () throws(CoverError) -> PixelBuffer
  ) throws(CoverError) -> Palette {
    if let palette = palette(for: key) { return palette }
    if let palette = disk?.contents(for: key).flatMap({ Palette(bytes: $0) }) {
      keep(palette, for: key)
      return palette
    }
    let palette = extractor.palette(of: try picture())
    extractions.add(1, ordering: .relaxed)
    keep(palette, for: key)
    // A disk that takes nothing makes the next start slower and does no other harm.
    try? disk?.store(palette.bytes, for: key)
    return palette
  }

  private func keep(_ palette: Palette, for key: String) {
    var removed: [Palette] = []
    _ = memory.withLock { memory in
      memory.insert(palette, for: key, cost: MemoryLayout<Palette>.size, removed: &removed)
    }
  }

  /// What the tier in memory has done and holds.
  public var metrics: CacheMetrics { memory.withLock { $0.metrics } }

  /// How many palettes were made from pictures.
  public var extractionCount: Int { extractions.load(ordering: .relaxed) }
}

extension Palette {
  /// The palette as the disk tier stores it: a version and red, green, blue of the five roles.
  var bytes: [UInt8] {
    [Palette.version]
      + [primary, secondary, accent, background, text].flatMap { [$0.red, $0.green, $0.blue] }
  }

  /// Reads what ``bytes`` wrote; nil for another version's.
  init?(bytes: [UInt8]) {
    guard bytes.count == 16, bytes[0] == Palette.version else { return nil }
    let colours = stride(from: 1, to: 16, by: 3).map { index in
      RGBA(red: bytes[index], green: bytes[index + 1], blue: bytes[index + 2])
    }
    self.init(
      primary: colours[0], secondary: colours[1], accent: colours[2], background: colours[3],
      text: colours[4])
  }

  private static let version: UInt8 = 1
}
