internal import CLinux
internal import Synchronization

/// The steps that bring a cover from its source into its tier, run on the calling thread.
final class CoverPipeline: Sendable {
  let configuration: CoverCacheConfiguration
  let disk: DiskTier?
  private let source: any CoverSource
  private let decoder: JPEGDecoder
  private let thumbnails: any MemoryTier
  private let images: any MemoryTier
  let encoded: EncodedTier?
  /// Whether a prefetch only brings the encoded cover into memory, because no decoded one is kept.
  let prefetchesEncoded: Bool
  private let largeDecode = Mutex(())
  /// The errors of covers that a further fetch would not change.
  private let refused = Mutex<[String: CoverError]>([:])
  private let didLoad: (@Sendable (String, CoverKind, PixelBuffer) -> Void)?

  init(
    source: any CoverSource, disk: DiskTier?, configuration: CoverCacheConfiguration,
    didLoad: (@Sendable (String, CoverKind, PixelBuffer) -> Void)?
  ) {
    self.source = source
    self.disk = disk
    self.configuration = configuration
    self.didLoad = didLoad
    // Otherwise libjpeg's buffers for progressive covers stay in the heaps of the loader threads.
    clinux_map_blocks_from(1 << 20)
    decoder = JPEGDecoder(maximumPixels: configuration.maximumPixels)
    thumbnails = configuration.policy.makeTier(
      limits: configuration.thumbnailLimits, cost: configuration.cost)
    images = configuration.policy.makeTier(
      limits: configuration.imageLimits, cost: configuration.cost)
    let hasEncoded = configuration.encodedLimits.count > 0 && configuration.encodedLimits.bytes > 0
    encoded = hasEncoded ? EncodedTier(limits: configuration.encodedLimits) : nil
    let decodedLimits = thumbnails.limits
    prefetchesEncoded = hasEncoded && (decodedLimits.count == 0 || decodedLimits.bytes == 0)
  }

  func tier(of kind: CoverKind) -> any MemoryTier {
    switch kind {
    case .thumbnail: thumbnails
    case .image: images
    }
  }

  /// Makes a cover from the disk tier or the source and inserts it into its tier.
  ///
  /// The tier makes room before the pixels are decoded. A cover that does not fit is still
  /// returned. `need` is called before the source's bytes are decoded, by far the most expensive
  /// step; ``LoadNeed/nothing`` throws ``CoverError/cancelled(cover:)``. A cover of an unsupported
  /// kind is not fetched again.
  func load(_ load: CoverLoad, need: () -> LoadNeed) throws(CoverError) -> LoadedCover {
    if let error = refused.withLock({ $0[load.key] }) { throw error }
    do throws(CoverError) {
      return try loadAccepted(load, need: need)
    } catch {
      if error.isPermanent { refuse(load.key, error) }
      if error.isOfBytes { forget(load.key) }
      throw error
    }
  }

  /// Drops the bytes of a cover from its tiers, so that the next load fetches it again.
  private func forget(_ key: String) {
    encoded?.remove(key)
    if configuration.diskContent == .encoded { disk?.remove(key) }
  }

  private func refuse(_ key: String, _ error: CoverError) {
    refused.withLock { refused in
      // Some covers are then fetched once more, which bounds the memory.
      if refused.count >= CoverPipeline.mostRefused { refused.removeAll() }
      refused[key] = error
    }
  }

  private static let mostRefused = 1_000

  private func loadAccepted(
    _ load: CoverLoad, need: () -> LoadNeed
  ) throws(CoverError) -> LoadedCover {
    let diskKey = "\(load.kind.rawValue) \(box(of: load.kind)) \(load.key)"
    if let cover = try? coverOnDisk(diskKey, load) { return .picture(cover) }
    let isPrefetch = need() == .encoded
    let bytes = try encodedCover(load.key, isCounted: !isPrefetch)
    switch need() {
    case .nothing: throw .cancelled(cover: load.key)
    case .encoded: return .encoded(byteCount: bytes.count)
    case .picture: if isPrefetch { encoded?.countMiss() }
    }
    let header = try decoder.header(of: bytes, cover: load.key)
    let size =
      switch configuration.decoding {
      case .full: header.size
      case .scaled: header.size.fitted(into: box(of: load.kind))
      }
    let cover = try enter(load, size: size) { () throws(CoverError) in
      try decode(bytes, header: header, load: load)
    }
    keepOnDisk(cover, key: diskKey)
    return .picture(cover)
  }

  /// Returns the encoded cover from memory, the disk tier or the source.
  ///
  /// Only a counted look-up in memory is a hit or a miss.
  private func encodedCover(_ key: String, isCounted: Bool) throws(CoverError) -> [UInt8] {
    if isCounted || encoded?.contains(key) == true, let bytes = encoded?.bytes(for: key) {
      return bytes
    }
    let folder = configuration.diskContent == .encoded ? disk : nil
    if let bytes = folder?.contents(for: key) {
      encoded?.insert(bytes, for: key)
      return bytes
    }
    let bytes = try source.encodedCover(for: key)
    encoded?.insert(bytes, for: key)
    try? folder?.store(bytes, for: key)
    return bytes
  }

  private func coverOnDisk(_ key: String, _ load: CoverLoad) throws(CoverError) -> PixelBuffer? {
    guard keepsScaled, let bytes = disk?.contents(for: key) else { return nil }
    let size = try decoder.header(of: bytes, cover: key).size
    return try enter(load, size: size) { () throws(CoverError) in
      try decoder.decode(bytes, cover: key)
    }
  }

  /// Reserves room in the tier, decodes a cover and inserts it.
  private func enter(
    _ load: CoverLoad, size: PixelSize, _ decode: () throws(CoverError) -> PixelBuffer
  ) throws(CoverError) -> PixelBuffer {
    let tier = tier(of: load.kind)
    let hasRoom = tier.reserve(size)
    let cover: PixelBuffer
    do {
      cover = try decode()
    } catch {
      if hasRoom { tier.release(size) }
      throw error
    }
    if hasRoom { tier.insert(cover, for: load.key, reserved: size) }
    didLoad?(load.key, load.kind, cover)
    return cover
  }

  private func box(of kind: CoverKind) -> PixelSize {
    switch kind {
    case .thumbnail: configuration.thumbnailSize
    case .image: configuration.imageSize
    }
  }

  /// Decodes a cover, those that need much working memory one at a time.
  ///
  /// A progressive cover of 24 megapixels needs 72 MB; three at once would exceed all tiers
  /// together.
  private func decode(
    _ bytes: [UInt8], header: JPEGHeader, load: CoverLoad
  ) throws(CoverError) -> PixelBuffer {
    guard header.workingBytes >= CoverPipeline.largeDecodeBytes else {
      return try decodeNow(bytes, load: load)
    }
    return try largeDecode.withLock { _ throws(CoverError) in try decodeNow(bytes, load: load) }
  }

  private static let largeDecodeBytes = 8_000_000

  private func decodeNow(_ bytes: [UInt8], load: CoverLoad) throws(CoverError) -> PixelBuffer {
    switch configuration.decoding {
    case .full: try decoder.decode(bytes, cover: load.key)
    case .scaled: try decoder.decode(bytes, fitting: box(of: load.kind), cover: load.key)
    }
  }

  /// Whether the disk tier keeps decoded covers, which have the size of their box only then.
  private var keepsScaled: Bool {
    configuration.diskContent == .scaled && configuration.decoding == .scaled
  }

  private func keepOnDisk(_ cover: PixelBuffer, key: String) {
    guard keepsScaled, let disk else { return }
    // A failed write only makes the next start slower, so it is ignored.
    guard let bytes = try? JPEGEncoder().encode(cover) else { return }
    try? disk.store(bytes, for: key)
  }
}
