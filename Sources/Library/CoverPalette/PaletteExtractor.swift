public import CoverCache

/// Extracts palettes from covers.
public struct PaletteExtractor: Sendable {
  private let method: PaletteMethod
  private let counting: ColorCounting
  private let decoder: JPEGDecoder

  /// The side of the box, in pixels, for scaled methods: the case study's.
  public static let side = 400

  /// Creates an extractor; the default is the fastest one without a loss of quality.
  ///
  /// ``PaletteMethod/everyPixel`` counts colours in a dictionary.
  public init(
    method: PaletteMethod = .blockMeans, counting: ColorCounting = .meanCube,
    decoder: JPEGDecoder = JPEGDecoder()
  ) {
    self.method = method
    self.counting = counting
    self.decoder = decoder
  }

  /// Extracts the palette of an encoded cover.
  ///
  /// - Throws: ``CoverError``, from the decoder.
  public func palette(of bytes: [UInt8], cover: String) throws(CoverError) -> Palette {
    palette(ofDecoded: try decode(bytes, cover: cover))
  }

  /// Extracts the palette of a decoded cover.
  ///
  /// ``PaletteMethod/everyPixel`` and ``PaletteMethod/scaledDecode`` count all its pixels. The other
  /// methods scale it down first.
  public func palette(of picture: PixelBuffer) -> Palette {
    switch method {
    case .singleScale, .multiScale: palette(ofDecoded: fitted(picture, side: Self.side))
    case .quarterScale: palette(ofDecoded: fitted(picture, side: Self.side / 4))
    case .everyPixel, .scaledDecode, .blockMeans: palette(ofDecoded: picture)
    }
  }

  /// Returns the palette that this extractor's way of counting gives for all pixels of a cover.
  ///
  /// Its distance from the palette of the file is what the method loses by not reading all pixels.
  /// ``PaletteMethod/blockMeans`` counts shades at one size, of all pixels as well.
  public func palette(ofAll reference: ColorReference) -> Palette {
    switch method {
    // A dictionary counts like a cube with means.
    case .everyPixel: Palette(assigning: ColorCounting.meanCube.peaks(of: reference))
    case .blockMeans: Palette(assigning: counting.shades(of: reference))
    case .singleScale, .multiScale, .quarterScale, .scaledDecode:
      Palette(assigning: counting.peaks(of: reference))
    }
  }

  // MARK: - Pixels

  private func decode(_ bytes: [UInt8], cover: String) throws(CoverError) -> PixelBuffer {
    switch method {
    case .everyPixel: try decoder.decode(bytes, cover: cover)
    case .singleScale, .multiScale:
      try decoder.decode(bytes, fitting: Self.box(Self.side), cover: cover)
    case .quarterScale: try decoder.decode(bytes, fitting: Self.box(Self.side / 4), cover: cover)
    case .scaledDecode: try decoder.decode(bytes, covering: Self.box(1), cover: cover)
    case .blockMeans: try decodeMeans(bytes, cover: cover)
    }
  }

  /// Decodes the means of blocks; for a small cover, enough pixels to keep its lettering.
  private func decodeMeans(_ bytes: [UInt8], cover: String) throws(CoverError) -> PixelBuffer {
    let size = try decoder.header(of: bytes, cover: cover).size
    guard max(size.width, size.height) >= Self.leastSideForMeans else {
      return try decoder.decode(bytes, covering: Self.box(Self.leastSideForMeans / 4), cover: cover)
    }
    return try decoder.decodeMosaic(bytes, cover: cover)
  }

  private static let leastSideForMeans = 3_200

  private static func box(_ side: Int) -> PixelSize { PixelSize(width: side, height: side) }

  private func fitted(_ picture: PixelBuffer, side: Int) -> PixelBuffer {
    // Scaling down fails only without memory. All pixels then serve as well.
    (try? picture.scaledDown(to: picture.size.fitted(into: Self.box(side)))) ?? picture
  }

  // MARK: - Colours

  private func palette(ofDecoded picture: PixelBuffer) -> Palette {
    switch method {
    case .everyPixel: Palette(assigning: Self.everyPixel(of: picture).peaks)
    case .multiScale: Palette(assigning: multiScale(of: picture))
    case .blockMeans: Palette(assigning: counting.shades(of: picture))
    case .singleScale, .quarterScale, .scaledDecode:
      Palette(assigning: counting.peaks(of: picture))
    }
  }

  /// Counts colours as in the case study's first version: per pixel, in a dictionary of colours.
  private static func everyPixel(of picture: PixelBuffer) -> MeanCube {
    var counts: [RGBA: Int] = [:]
    for y in 0..<picture.height {
      for x in 0..<picture.width {
        counts[picture[x, y], default: 0] += 1
      }
    }
    return counts.reduce(into: MeanCube()) { $0.add($1.key, count: $1.value) }
  }

  /// Counts at the case study's scales, with its weights divided by the square of the scale.
  private func multiScale(of picture: PixelBuffer) -> [ColorPeak] {
    let scales = [(divisor: 1, weight: 0.5), (divisor: 2, weight: 0.3), (divisor: 4, weight: 0.2)]
    var votes: [RGBA: Double] = [:]
    for (divisor, weight) in scales {
      let size = PixelSize(
        width: max(1, picture.width / divisor), height: max(1, picture.height / divisor))
      let scaled = (try? picture.scaledDown(to: size)) ?? picture
      for peak in counting.peaks(of: scaled) {
        votes[peak.colour, default: 0] += peak.share * weight * Double(divisor * divisor)
      }
    }
    let total = votes.values.reduce(0, +)
    // Sorted, because the order of a dictionary varies and a palette must depend only on its cover.
    return votes.map { ColorPeak(colour: $0.key, share: $0.value / total) }
      .sorted { ($1.share, $0.colour.word) < ($0.share, $1.colour.word) }
  }
}

extension RGBA {
  /// The colours as a number.
  var word: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }
}
