internal import CoverCache
internal import CoverPalette
internal import Foundation

/// A cover of each impression, with the palette of all its pixels.
struct PaletteCovers {
  /// A cover with its reference palette.
  struct Cover {
    let impression: CoverImpression
    /// The contents of the JPEG file.
    let bytes: [UInt8]
    /// The reference palette for all extractors.
    let truth: Palette
  }

  /// The version of the generated files; a change creates new files.
  private static let version = 1
  private static let quality = 80

  private let size: PixelSize
  private let isProgressive: Bool
  private let seed: UInt64
  private let folder: String

  /// Computes the paths of covers of a width without accessing files; the height is 3/2 of it.
  init(width: Int, isProgressive: Bool, seed: UInt64, cache: String) {
    size = PixelSize(width: width, height: width * 3 / 2)
    self.isProgressive = isProgressive
    self.seed = seed
    let kind = isProgressive ? "progressive" : "baseline"
    folder = "\(cache)/palettes-v\(Self.version)-\(size)-\(kind)-seed\(seed)"
  }

  /// Creates the missing files and returns the paths of all.
  func prepare(progress: (_ done: Int, _ total: Int) -> Void) throws -> [String] {
    try makeFolder(folder)
    let all = CoverImpression.allCases
    for (index, impression) in all.enumerated() where (try? load(impression)) == nil {
      let bytes = try impression.paint(size, seed: seed) { pixels throws(CoverError) in
        try JPEGEncoder(quality: Self.quality, isProgressive: isProgressive)
          .encode(rgba: pixels, size: size)
      }
      let palette = try PaletteExtractor(method: .everyPixel)
        .palette(of: bytes, cover: impression.rawValue)
      try writeWhole(bytes, to: file(of: impression))
      try writeWhole(palette.rgb, to: truth(of: impression))
      progress(index + 1, all.count)
    }
    return all.map { file(of: $0) }
  }

  /// Reads the first covers, by default all.
  func load(_ count: Int = CoverImpression.allCases.count) throws -> [Cover] {
    try CoverImpression.allCases.prefix(count).map { try load($0) }
  }

  private func load(_ impression: CoverImpression) throws -> Cover {
    let saved = [UInt8](try Data(contentsOf: URL(fileURLWithPath: truth(of: impression))))
    guard let palette = Palette(rgb: saved) else {
      throw DatasetError.cache(path: truth(of: impression), reason: "it does not contain a palette")
    }
    return Cover(
      impression: impression,
      bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(of: impression)))),
      truth: palette)
  }

  private func file(of impression: CoverImpression) -> String {
    "\(folder)/\(impression.rawValue).jpg"
  }

  private func truth(of impression: CoverImpression) -> String {
    "\(folder)/\(impression.rawValue).palette"
  }
}
