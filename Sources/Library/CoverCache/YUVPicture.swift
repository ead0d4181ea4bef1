/// A picture in planes of brightness and subsampled colour, as cameras and JPEG files store it.
///
/// Samples follow JFIF: full range, colours around 128.
public struct YUVPicture: Hashable, Sendable {
  /// The size in pixels.
  public let size: PixelSize
  /// The size of the brightness plane: ``size``, rounded up to whole colour samples.
  public let lumaSize: PixelSize
  /// The size of each of the two colour planes; 0x0 for a grey picture.
  public let chromaSize: PixelSize
  /// The planes one after the other, rows without padding: luma, blue chroma, red chroma.
  public let samples: [UInt8]

  /// Creates a picture from its samples.
  ///
  /// - Precondition: The number of samples matches the sizes.
  init(size: PixelSize, lumaSize: PixelSize, chromaSize: PixelSize, samples: [UInt8]) {
    precondition(samples.count == lumaSize.count + 2 * chromaSize.count, "a plane is incomplete")
    self.size = size
    self.lumaSize = lumaSize
    self.chromaSize = chromaSize
    self.samples = samples
  }

  /// Returns a picture with one pixel per colour sample, for colour statistics.
  ///
  /// A pixel has the brightness of the upper left corner of its colour sample's area. A grey
  /// picture keeps all its pixels.
  ///
  /// - Throws: ``CoverError/outOfMemory(bytes:)``.
  /// - Note: The conversion is that of JFIF (ITU T.871, section 7), in integers.
  public func coarsePicture() throws(CoverError) -> PixelBuffer {
    let isGrey = chromaSize.count == 0
    let target = isGrey ? size : chromaSize
    let (across, down) = (lumaSize.width / target.width, lumaSize.height / target.height)
    return try PixelBuffer(size: target) { bytes in
      let pixels = bytes.bindMemory(to: RGBA.self)
      samples.withUnsafeBufferPointer { samples in
        let redness = samples.count - target.count
        let blueness = redness - target.count
        for y in 0..<target.height {
          let line = y * down * lumaSize.width
          for x in 0..<target.width {
            let place = y * target.width + x
            let bright = Int(samples[line + x * across])
            pixels[place] =
              isGrey
              ? Self.colour(bright, 0, 0)
              : Self.colour(
                bright, Int(samples[blueness + place]) - 128, Int(samples[redness + place]) - 128)
          }
        }
      }
    }
  }

  /// Converts a sample to RGB; the factors are JFIF's times 65,536.
  private static func colour(_ bright: Int, _ blue: Int, _ red: Int) -> RGBA {
    func byte(_ difference: Int) -> UInt8 {
      UInt8(max(0, min(255, bright + (difference + 32_768) >> 16)))
    }
    return RGBA(
      red: byte(91_881 * red), green: byte(-22_554 * blue - 46_802 * red),
      blue: byte(116_130 * blue))
  }
}

extension PixelSize {
  /// The number of samples.
  fileprivate var count: Int { width * height }
}
