internal import Glibc

/// One pixel: four bytes in memory order.
public struct RGBA: Hashable, Sendable {
  /// Red, 0 to 255.
  public var red: UInt8
  /// Green, 0 to 255.
  public var green: UInt8
  /// Blue, 0 to 255.
  public var blue: UInt8
  /// Opacity; 255 in every pixel decoded from a JPEG.
  public var alpha: UInt8

  /// Creates a pixel from three colours and an opacity.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }
}

/// An immutable decoded picture: RGBA8888, rows from top to bottom without padding.
///
/// Pictures of 32 KiB and more use their own memory mapping, which returns to the system with the
/// buffer. malloc would keep the memory, so that an emptied cache would not shrink the process.
public final class PixelBuffer: Sendable {
  /// The size in pixels; both sides are at least one.
  public let size: PixelSize
  // Safety: only the initialiser writes, before the buffer can be shared.
  private nonisolated(unsafe) let storage: UnsafeMutableRawPointer
  private static let mappedThresholdBytes = 32 << 10

  /// Creates a picture of at least 1x1 whose pixels a closure fills.
  ///
  /// The closure receives ``byteCount`` zeroed bytes, row after row, four bytes per pixel.
  ///
  /// - Throws: ``CoverError/invalidSize(_:)``, ``CoverError/outOfMemory(bytes:)``, or the error of
  ///   `fill`.
  public init(
    size: PixelSize, fill: (UnsafeMutableRawBufferPointer) throws(CoverError) -> Void
  ) throws(CoverError) {
    let (pixels, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    guard size.width > 0, size.height > 0, !overflow, pixels <= Int.max / 4 else {
      throw .invalidSize(size)
    }
    let bytes = pixels * 4
    guard let storage = PixelBuffer.allocate(bytes) else { throw .outOfMemory(bytes: bytes) }
    self.size = size
    self.storage = storage
    try fill(UnsafeMutableRawBufferPointer(start: storage, count: bytes))
  }

  deinit {
    if byteCount >= PixelBuffer.mappedThresholdBytes {
      munmap(storage, byteCount)
    } else {
      free(storage)
    }
  }

  private static func allocate(_ bytes: Int) -> UnsafeMutableRawPointer? {
    guard bytes >= mappedThresholdBytes else { return calloc(bytes, 1) }
    let pages = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return pages == MAP_FAILED ? nil : pages
  }

  /// Pixels from left to right.
  public var width: Int { size.width }
  /// Pixels from top to bottom.
  public var height: Int { size.height }
  /// The bytes of all pixels, which are the picture's cost in a cache.
  public var byteCount: Int { size.width * size.height * 4 }

  /// Calls a closure with all pixels, row after row.
  public func withPixels<Result, Failure: Error>(
    _ body: (Span<RGBA>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let pixels = storage.assumingMemoryBound(to: RGBA.self)
    return try body(UnsafeBufferPointer(start: pixels, count: width * height).span)
  }

  /// Calls a closure with the bytes of all pixels, for copying or scaling.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: storage, count: byteCount))
  }

  /// The pixel in a column and a row, both from 0.
  public subscript(x: Int, y: Int) -> RGBA {
    precondition(x >= 0 && x < width && y >= 0 && y < height, "no pixel \(x),\(y) in \(size)")
    return storage.loadUnaligned(fromByteOffset: (y * width + x) * 4, as: RGBA.self)
  }
}
