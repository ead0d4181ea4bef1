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

  /// Computes the paths of the covers without accessing files.
  ///
  /// - Parameters:
  ///   - width: The width of each cover in pixels; the height is 3/2 of it.
  ///   - isProgressive: Whether the files are progressive.
  ///   - seed: The seed of the covers.
  ///   - cache: The folder that is kept between runs.
  init(width: Int, isProgressive: Bool, seed: UInt64, cache: String) {
    size = PixelSize(width: width, height: width * 3 / 2)
    self.isProgressive = isProgressive
    self.seed = seed
    let kind = isProgressive ? "progressive" : "baseline"
    folder = "\(cache)/palettes-v\(Self.version)-\(size)-\(kind)-seed\(seed)"
  }

  /// Creates the missing files.
  ///
  /// - Parameter progress: Receives the numbers of finished and of all covers.
  /// - Returns: The paths of the files.
  /// - Throws: `DatasetError` or `CoverError`.
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
      try writeWhole(
        palette.roles.flatMap { [$0.red, $0.green, $0.blue] }, to: truth(of: impression))
      progress(index + 1, all.count)
    }
    return all.map { file(of: $0) }
  }

  /// Reads the first covers, by default all.
  ///
  /// - Throws: An error of the file system.
  func load(_ count: Int = CoverImpression.allCases.count) throws -> [Cover] {
    try CoverImpression.allCases.prefix(count).map { try load($0) }
  }

  private func load(_ impression: CoverImpression) throws -> Cover {
    let saved = [UInt8](try Data(contentsOf: URL(fileURLWithPath: truth(of: impression))))
    guard saved.count == 15 else {
      throw DatasetError.cache(path: truth(of: impression), reason: "it does not contain a palette")
    }
    let roles = stride(from: 0, to: 15, by: 3).map { index in
      RGBA(red: saved[index], green: saved[index + 1], blue: saved[index + 2])
    }
    return Cover(
      impression: impression,
      bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(of: impression)))),
      truth: Palette(
        primary: roles[0], secondary: roles[1], accent: roles[2], background: roles[3],
        text: roles[4]))
  }

  private func file(of impression: CoverImpression) -> String {
    "\(folder)/\(impression.rawValue).jpg"
  }

  private func truth(of impression: CoverImpression) -> String {
    "\(folder)/\(impression.rawValue).palette"
  }
}
