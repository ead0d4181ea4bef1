/// A picture as cameras and JPEG files have it: brightness for each pixel, colour more coarsely.
///
/// Samples are those of JFIF: full range, colours around 128.
public struct YUVPicture: Hashable, Sendable {
  /// The size in pixels.
  public let size: PixelSize
  /// The size of the plane of brightness: ``size``, rounded up to whole samples of colour.
  public let lumaSize: PixelSize
  /// The size of each of the two planes of colour; 0x0 for a grey picture.
  public let chromaSize: PixelSize
  /// The planes one after the other, rows without padding: brightness, blueness, redness.
  public let samples: [UInt8]

  /// Makes a picture of its samples.
  ///
  /// - Precondition: There are as many samples as the sizes say.
  init(size: PixelSize, lumaSize: PixelSize, chromaSize: PixelSize, samples: [UInt8]) {
    precondition(samples.count == lumaSize.count + 2 * chromaSize.count, "a plane is incomplete")
    self.size = size
    self.lumaSize = lumaSize
    self.chromaSize = chromaSize
    self.samples = samples
  }

  /// Returns a picture with one pixel for each sample of colour: for statistics over colours, which
  /// need no more.
  ///
  /// A pixel has the brightness at the upper left corner of what its colour stands for. A grey picture
  /// has all its pixels.
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

  /// Converts a sample; the factors are JFIF's times 65,536.
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
  /// Width times height.
  fileprivate var count: Int { width * height }
}
