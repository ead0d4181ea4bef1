internal import CoverCache
internal import CoverPalette
internal import Foundation

/// The painted pictures of a set, with the colours of all their pixels.
struct PaletteCovers {
  /// A picture with the reference for its palettes.
  struct Cover {
    let name: String
    /// The contents of the JPEG file.
    let bytes: [UInt8]
    /// The histogram of all pixels.
    let colours: ColorReference
  }

  /// The version of the generated files; a change creates new files.
  private static let version = 2
  private static let quality = 80

  private let pictures: [PaintedPicture]
  private let size: PixelSize
  private let isProgressive: Bool
  private let seed: UInt64
  private let folder: String

  /// Computes the paths of pictures of a width without accessing files; the height is 3/2 of it.
  init(
    pictures: PictureSet = .designs, width: Int, isProgressive: Bool, seed: UInt64, cache: String
  ) {
    self.pictures = pictures.pictures
    size = PixelSize(width: width, height: width * 3 / 2)
    self.isProgressive = isProgressive
    self.seed = seed
    let kind = isProgressive ? "progressive" : "baseline"
    folder = "\(cache)/palettes-v\(Self.version)-\(pictures)-\(size)-\(kind)-seed\(seed)"
  }

  /// Creates the missing files of the first pictures and returns their paths.
  func prepare(
    _ count: Int = .max, progress: (_ done: Int, _ total: Int) -> Void
  ) throws -> [String] {
    try makeFolder(folder)
    let all = pictures.prefix(count)
    for (index, picture) in all.enumerated() where (try? load(picture)) == nil {
      let bytes = try picture.paint(size, seed: seed) { pixels throws(CoverError) in
        try JPEGEncoder(quality: Self.quality, isProgressive: isProgressive)
          .encode(rgba: pixels, size: size)
      }
      let decoded = try JPEGDecoder().decode(bytes, cover: picture.name)
      try writeWhole(bytes, to: file(of: picture))
      try writeWhole(ColorReference(of: decoded).bytes, to: reference(of: picture))
      progress(index + 1, all.count)
    }
    return all.map { file(of: $0) }
  }

  /// Reads the first pictures, by default all.
  func load(_ count: Int = .max) throws -> [Cover] {
    try pictures.prefix(count).map { try load($0) }
  }

  private func load(_ picture: PaintedPicture) throws -> Cover {
    try Cover(
      name: picture.name,
      bytes: [UInt8](Data(contentsOf: URL(fileURLWithPath: file(of: picture)))),
      colours: ColorReference(contentsOf: reference(of: picture)))
  }

  private func file(of picture: PaintedPicture) -> String { "\(folder)/\(picture.name).jpg" }

  private func reference(of picture: PaintedPicture) -> String {
    "\(folder)/\(picture.name).colours"
  }
}

extension ColorReference {
  /// Reads a reference that setup has written.
  init(contentsOf path: String) throws {
    let saved = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    guard let reference = ColorReference(bytes: saved), reference.pixelCount > 0 else {
      throw DatasetError.cache(path: path, reason: "it does not contain the colours of a picture")
    }
    self = reference
  }
}
