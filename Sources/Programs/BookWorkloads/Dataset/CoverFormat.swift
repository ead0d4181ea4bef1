internal import CoverCache

/// The sizes of the covers of a data set.
enum CoverSizes: String, Sendable, CaseIterable {
  /// Sizes as in a real library: most from 400x600 to 1600x2400, some 4000x6000; about 5 MB when
  /// decoded.
  case real
  /// An eighth of the real width and height, for tests and quick runs.
  case small

  fileprivate var divisor: Int { self == .real ? 1 : 8 }
}

/// The size and encoding of a cover file.
struct CoverFormat: Hashable {
  let size: PixelSize
  let isProgressive: Bool
  /// The JPEG quality, 1...100.
  let quality: Int

  private static let sizes: [(percent: Int, width: Int, height: Int)] = [
    (55, 400, 600), (25, 800, 1_200), (12, 1_000, 1_500), (6, 1_600, 2_400), (2, 4_000, 6_000),
  ]

  /// Draws a format; three of ten covers are progressive.
  ///
  /// Every hundred covers have the sizes in exactly the given shares, so two libraries of the same
  /// length need nearly the same memory. The mean is 1.26 megapixels.
  init(of index: Int, seed: UInt64, sizes: CoverSizes, _ random: inout SplitMix64) {
    var ofHundred = SplitMix64(seed: seed, stream: ~UInt64(index / 100))
    // 37 and 100 have no common factor, so this is a permutation of the places.
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
