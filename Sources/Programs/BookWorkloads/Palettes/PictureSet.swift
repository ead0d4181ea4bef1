internal import CoverCache

/// A set of pictures that PerfKit paints.
enum PictureSet: String, CaseIterable {
  /// A designed cover of each impression.
  case designs
  /// Photograph-like pictures: gradients, texture, grain, soft edges and several objects.
  case photographs

  /// All pictures of the set.
  var pictures: [PaintedPicture] {
    switch self {
    case .designs: CoverImpression.allCases.map { .design($0) }
    case .photographs: (0..<Self.photographCount).map { .photograph($0) }
    }
  }

  /// The number of photographs.
  static let photographCount = 25
}

/// A picture that is painted from a seed.
enum PaintedPicture: Hashable {
  case design(CoverImpression)
  /// The photograph of a number, from 0; the kinds of scenes take turns.
  case photograph(Int)

  /// The name of its file, without the extension; names have the order of the set.
  var name: String {
    switch self {
    case .design(let impression): impression.rawValue
    case .photograph(let number):
      "\(number < 10 ? "0" : "")\(number)-\(Self.kind(of: number).rawValue)"
    }
  }

  /// Paints the picture; equal seeds yield equal pixels.
  ///
  /// `body` receives the RGBA pixels, row by row.
  func paint<Result, Failure: Error>(
    _ size: PixelSize, seed: UInt64,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch self {
    case .design(let impression): return try impression.paint(size, seed: seed, body)
    case .photograph(let number):
      var random = SplitMix64(seed: seed, stream: 0xF0_7060 &+ UInt64(number))
      let scene = Self.kind(of: number).scene(&random)
      let pixels = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: size.width * size.height)
      defer { pixels.deallocate() }
      PhotographPainter.paint(scene, on: CoverCanvas(size: size, pixels: pixels), &random)
      return try body(UnsafeRawBufferPointer(pixels))
    }
  }

  private static func kind(of number: Int) -> PhotographKind {
    PhotographKind.allCases[number % PhotographKind.allCases.count]
  }
}
