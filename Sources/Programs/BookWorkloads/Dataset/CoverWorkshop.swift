internal import CoverCache

/// Creates the encoded covers of a data set on one thread.
///
/// It reuses its pixel memory, because fresh pages would cost more time than the painting.
final class CoverWorkshop {
  private let seed: UInt64
  private let sizes: CoverSizes
  private var pixels = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: 1)

  init(seed: UInt64, sizes: CoverSizes) {
    self.seed = seed
    self.sizes = sizes
  }

  deinit { pixels.deallocate() }

  /// Returns the size and encoding of a cover.
  func format(of index: Int) -> CoverFormat {
    var random = random(of: index)
    return CoverFormat(of: index, seed: seed, sizes: sizes, &random)
  }

  /// Returns a cover as a JPEG file.
  func encodedCover(_ index: Int) throws(CoverError) -> [UInt8] {
    var random = random(of: index)
    let format = CoverFormat(of: index, seed: seed, sizes: sizes, &random)
    let design = CoverDesign(&random)
    let count = format.size.width * format.size.height
    if pixels.count < count {
      pixels.deallocate()
      pixels = .allocate(capacity: count)
    }
    let used = UnsafeMutableBufferPointer(rebasing: pixels[..<count])
    CoverPainter.paint(design, on: CoverCanvas(size: format.size, pixels: used), &random)
    return try JPEGEncoder(quality: format.quality, isProgressive: format.isProgressive)
      .encode(rgba: UnsafeRawBufferPointer(used), size: format.size)
  }

  /// Returns the generator of a cover, with an odd stream; books use the even streams.
  private func random(of index: Int) -> SplitMix64 {
    SplitMix64(seed: seed, stream: UInt64(index) << 1 | 1)
  }
}
