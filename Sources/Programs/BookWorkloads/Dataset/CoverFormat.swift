internal import CoverCache

/// In which sizes the covers of a data set come.
enum CoverSizes: String, Sendable, CaseIterable {
  /// As in a real library: most 400x600 to 1600x2400, some 4000x6000; 5 MB each when decoded.
  case real
  /// An eighth of that in each direction, for tests and for a quick look.
  case small

  fileprivate var divisor: Int {
    switch self {
    case .real: 1
    case .small: 8
    }
  }
}

/// Size and encoding of one cover file.
struct CoverFormat: Hashable {
  let size: PixelSize
  let isProgressive: Bool
  /// JPEG quality, 1...100.
  let quality: Int

  private static let sizes: [(percent: Int, width: Int, height: Int)] = [
    (55, 400, 600), (25, 800, 1_200), (12, 1_000, 1_500), (6, 1_600, 2_400), (2, 4_000, 6_000),
  ]

  /// Draws a format: three of ten covers are progressive.
  ///
  /// Each hundred covers have the sizes in exactly the given shares, so that two libraries of one
  /// size need nearly the same memory; the mean is 1.26 megapixels.
  init(of index: Int, seed: UInt64, sizes: CoverSizes, _ random: inout SplitMix64) {
    var ofHundred = SplitMix64(seed: seed, stream: ~UInt64(index / 100))
    // 37 and 100 have no common factor: every place once, in another order.
    let place = (index % 100 * 37 + ofHundred.below(100)) % 100
    var limit = 0
    let drawn =
      Self.sizes.first { kind in
        limit += kind.percent
        return place < limit
      } ?? Self.sizes[0]
    size = PixelSize(width: drawn.width / sizes.divisor, height: drawn.height / sizes.divisor)
    isProgressive = random.below(100) < 30
    quality = random.of(78...92)
  }
}
