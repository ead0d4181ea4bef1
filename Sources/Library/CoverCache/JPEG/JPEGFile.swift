/// A JPEG file that is checked and ready to be decoded.
///
/// All decodes begin here, so that they accept the same files and return upright sRGB pictures.
struct JPEGFile: ~Copyable {
  /// The bytes of the file, without harmless deviations from the standard.
  let bytes: [UInt8]
  let layout: JPEGLayout
  let decompressor: TurboDecompressor
  /// The size of the stored picture, before it is turned.
  let storedSize: PixelSize
  /// libturbojpeg's number of the subsampling; negative if it has none.
  let subsampling: Int32
  /// libturbojpeg's number of the colour space.
  let space: Int32
  /// The conversion of stored colours to sRGB; nil if they are sRGB or cannot be converted.
  let conversion: ColorConversion?
  private let profile: ColorProfileUse

  /// Reads the header.
  ///
  /// - Throws: As ``JPEGDecoder/header(of:cover:)``.
  init(_ bytes: [UInt8], cover: String, maximumPixels: Int) throws(CoverError) {
    guard bytes.starts(with: [0xFF, 0xD8]) else {
      throw .notJPEG(cover: cover, reason: "it does not begin with the bytes FF D8")
    }
    let layout = bytes.withUnsafeBufferPointer { JPEGLayout($0) }
    if let kind = layout.unsupportedKind { throw .unsupported(cover: cover, reason: kind) }
    let corrected = layout.corrected(bytes)
    let decompressor = try TurboDecompressor(cover: cover)
    let (size, subsampling, space) = try decompressor.layout(of: corrected)
    guard size.width * size.height <= maximumPixels else {
      throw .tooLarge(cover: cover, size: size, limit: maximumPixels)
    }
    (profile, conversion) = ColorProfileUse.read(
      layout.profileParts, components: layout.frame?.identifiers.count ?? 0)
    self.bytes = corrected
    self.layout = layout
    self.decompressor = decompressor
    self.storedSize = size
    self.subsampling = subsampling
    self.space = space
  }

  /// The size and kind of the file.
  var header: JPEGHeader {
    JPEGHeader(
      size: storedSize.turned(by: layout.orientation),
      isProgressive: layout.frame?.isProgressive == true, orientation: layout.orientation,
      profile: profile, workingBytes: workingBytes)
  }

  private var workingBytes: Int {
    guard layout.hasSeveralScans, let frame = layout.frame else { return storedSize.width * 64 }
    return Int(2 * frame.valuesPerPixel * Double(storedSize.width * storedSize.height))
  }

  /// Decodes to sRGB at one of libturbojpeg's scaled sizes, without turning the picture.
  func decode(scaledTo size: PixelSize) throws(CoverError) -> PixelBuffer {
    let isCMYK = layout.frame?.identifiers.count == 4
    return try PixelBuffer(size: size) { output throws(CoverError) in
      try decompressor.decode(bytes, to: output, size: size, isCMYK: isCMYK)
      let pixels = output.bindMemory(to: RGBA.self)
      if isCMYK { JPEGFile.convertInvertedCMYK(pixels) }
      conversion?.apply(to: pixels)
    }
  }

  /// Returns the means of the blocks; nil if libturbojpeg must decode the file or report its error.
  func mosaic() -> JPEGMosaic? {
    guard layout.frame?.isProgressive == false || layout.isSoundProgressive else { return nil }
    let mosaic = bytes.withUnsafeBufferPointer { bytes in
      var reader = JPEGMosaicReader(bytes)
      return reader.read()
    }
    return mosaic?.frame.size == storedSize ? mosaic : nil
  }

  /// Replaces inks by the light that they leave: 255 is no ink.
  ///
  /// Adobe's programs invert CMYK in JPEG files, and browsers take every CMYK file for inverted.
  /// Each ink takes its colour, and black takes all, as browsers do without a profile.
  private static func convertInvertedCMYK(_ pixels: UnsafeMutableBufferPointer<RGBA>) {
    for index in pixels.indices {
      let inks = pixels[index]
      let black = Int(inks.alpha)
      func light(_ ink: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (Int(ink) * black + 127) / 255)
      }
      pixels[index] = RGBA(red: light(inks.red), green: light(inks.green), blue: light(inks.blue))
    }
  }
}
