public import CoverCache

/// How a palette is got from a JPEG.
public enum PaletteMethod: Equatable, Sendable {
  /// All pixels are decoded, read one by one and counted in a dictionary: the case study's first.
  case everyPixel
  /// Decoded at a fraction of its size that covers a box of so many pixels a side, counted in a cube.
  case scaled(side: Int)
}

/// Gets palettes from covers.
public struct PaletteExtractor: Sendable {
  /// How.
  public let method: PaletteMethod
  private let decoder: JPEGDecoder

  /// Makes an extractor.
  ///
  /// - Parameters:
  ///   - method: The default covers 400 pixels a side, as the case study ended with.
  ///   - decoder: What decodes, and its limit.
  public init(method: PaletteMethod = .scaled(side: 400), decoder: JPEGDecoder = JPEGDecoder()) {
    self.method = method
    self.decoder = decoder
  }

  /// Gets the palette of an encoded cover.
  ///
  /// - Parameters:
  ///   - bytes: The whole JPEG file.
  ///   - cover: The name that errors carry.
  /// - Returns: Its palette.
  /// - Throws: ``CoverError``: what the decoder said.
  public func palette(of bytes: [UInt8], cover: String) throws(CoverError) -> Palette {
    switch method {
    case .everyPixel:
      palette(of: try decoder.decode(bytes, cover: cover))
    case .scaled(let side):
      palette(
        of: try decoder.decode(
          bytes, covering: PixelSize(width: side, height: side), cover: cover))
    }
  }

  /// Gets the palette of a cover that is decoded already, from all the pixels it has.
  public func palette(of picture: PixelBuffer) -> Palette {
    switch method {
    case .everyPixel: Palette(assigning: everyPixel(of: picture).peaks)
    case .scaled: Palette(assigning: ColorCube(of: picture).peaks)
    }
  }

  /// Counts colours as the case study first did: an accessor for each pixel, a dictionary of colours.
  private func everyPixel(of picture: PixelBuffer) -> ColorCube {
    var counts: [RGBA: Int] = [:]
    for y in 0..<picture.height {
      for x in 0..<picture.width {
        counts[picture[x, y], default: 0] += 1
      }
    }
    return counts.reduce(into: ColorCube()) { $0.add($1.key, count: $1.value) }
  }
}
