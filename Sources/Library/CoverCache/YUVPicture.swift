/// A picture in planes of brightness and subsampled colour, as cameras and JPEG files store it.
///
/// Samples follow JFIF: full range, colours around 128.
public struct YUVPicture: Hashable, Sendable {
  /// The size in pixels, as stored.
  public let size: PixelSize
  /// The size of the brightness plane: ``size``, rounded up to whole colour samples.
  public let lumaSize: PixelSize
  /// The size of each of the two colour planes; 0x0 for a grey picture.
  public let chromaSize: PixelSize
  /// The planes one after the other, rows without padding: luma, blue chroma, red chroma.
  public let samples: [UInt8]
  /// The position of the stored rows on the display.
  public let orientation: PictureOrientation
  private let conversion: ColorConversion?

  init(
    size: PixelSize, lumaSize: PixelSize, chromaSize: PixelSize, samples: [UInt8],
    orientation: PictureOrientation, conversion: ColorConversion?
  ) {
    precondition(samples.count == lumaSize.count + 2 * chromaSize.count, "a plane is incomplete")
    self.size = size
    self.lumaSize = lumaSize
    self.chromaSize = chromaSize
    self.samples = samples
    self.orientation = orientation
    self.conversion = conversion
  }

  /// Returns an upright picture with one pixel per colour sample, for colour statistics.
  ///
  /// A pixel has the brightness of the upper left corner of its colour sample's area. A grey
  /// picture keeps all its pixels.
  ///
  /// - Throws: ``CoverError/outOfMemory(bytes:)``.
  public func coarsePicture() throws(CoverError) -> PixelBuffer {
    let isGrey = chromaSize.count == 0
    let target = isGrey ? size : chromaSize
    let (across, down) = (lumaSize.width / target.width, lumaSize.height / target.height)
    let picture = try PixelBuffer(size: target) { bytes throws(CoverError) in
      let pixels = bytes.bindMemory(to: RGBA.self)
      samples.withUnsafeBufferPointer { samples in
        let redness = samples.count - target.count
        let blueness = redness - target.count
        for y in 0..<target.height {
          let line = y * down * lumaSize.width
          for x in 0..<target.width {
            let place = y * target.width + x
            pixels[place] = RGBA(
              luma: samples[line + x * across],
              blueness: isGrey ? 128 : samples[blueness + place],
              redness: isGrey ? 128 : samples[redness + place])
          }
        }
      }
      conversion?.apply(to: pixels)
    }
    return try picture.upright(from: orientation)
  }
}

extension RGBA {
  /// Converts samples to RGB in fixed-point arithmetic with 16 fractional bits.
  ///
  /// Source: JFIF, ITU T.871, section 7.
  @inline(__always)
  init(luma: UInt8, blueness: UInt8, redness: UInt8) {
    let y = Int32(luma) << 16 + 0x8000
    let cb = Int32(blueness) - 128
    let cr = Int32(redness) - 128
    func level(_ value: Int32) -> UInt8 {
      UInt8(truncatingIfNeeded: max(0, min(255, value >> 16)))
    }
    self.init(
      red: level(y &+ 91_881 &* cr), green: level(y &- 22_554 &* cb &- 46_802 &* cr),
      blue: level(y &+ 116_130 &* cb))
  }
}

extension PixelSize {
  /// The number of samples.
  fileprivate var count: Int { width * height }
}
