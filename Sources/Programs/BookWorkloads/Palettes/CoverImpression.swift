internal import CoverCache

/// The overall look of a cover, as far as it affects the palette.
enum CoverImpression: String, CaseIterable {
  case light
  case dark
  /// A cover with the noise of high-speed film.
  case noisy
  case saturated
  /// A photograph that fills the cover.
  case photographic
  /// A cover without colours.
  case grey

  /// Paints a cover; equal seeds yield equal pixels.
  ///
  /// `body` receives the RGBA pixels, row by row.
  func paint<Result, Failure: Error>(
    _ size: PixelSize, seed: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The index of the case would change if a case were added.
    let stream = rawValue.utf8.reduce(0xC0_1035) { $0 &* 31 &+ UInt64($1) }
    var random = SplitMix64(seed: seed, stream: stream)
    var design = CoverDesign(&random)
    while !fits(design) { design = CoverDesign(&random) }
    let pixels = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: size.width * size.height)
    defer { pixels.deallocate() }
    CoverPainter.paint(design, on: CoverCanvas(size: size, pixels: pixels), &random)
    finish(UnsafeMutableRawBufferPointer(pixels), &random)
    return try body(UnsafeRawBufferPointer(pixels))
  }

  private func fits(_ design: CoverDesign) -> Bool {
    switch self {
    case .light: design.tone == .light && design.layout != .fullPhoto
    case .dark: design.tone == .dark && design.layout != .fullPhoto
    case .saturated: design.tone == .colourful && design.layout != .fullPhoto
    case .photographic: design.layout == .fullPhoto
    case .noisy, .grey: true
    }
  }

  private static let noise = 16

  private func finish(
    _ bytes: UnsafeMutableRawBufferPointer, _ random: inout SplitMix64
  ) {
    switch self {
    case .noisy:
      for pixel in stride(from: 0, to: bytes.count, by: 4) {
        for channel in pixel..<pixel + 3 {
          // The sum of two uniform numbers has a triangular distribution, similar to film grain.
          let grain = random.of(-Self.noise...Self.noise) + random.of(-Self.noise...Self.noise)
          bytes[channel] = UInt8(max(0, min(255, Int(bytes[channel]) + grain)))
        }
      }
    case .grey:
      for pixel in stride(from: 0, to: bytes.count, by: 4) {
        let sum = 2 * Int(bytes[pixel]) + 5 * Int(bytes[pixel + 1]) + Int(bytes[pixel + 2])
        for channel in pixel..<pixel + 3 { bytes[channel] = UInt8(sum / 8) }
      }
    case .light, .dark, .saturated, .photographic: break
    }
  }
}
