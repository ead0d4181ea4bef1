/// What a cover counts for against a tier's limit of bytes.
///
/// Two of the three are mistakes of the case studies, kept to show what they do.
public enum CoverCost: String, CaseIterable, Sendable {
  /// The bytes of its pixels.
  case bytes
  /// The number of its pixels: a limit of 100 MB then lets 419 MB in.
  case pixels
  /// Nothing, as a cover that is stored without a cost: only the limit of objects holds.
  case none

  /// Returns what a cover of a size counts for.
  public func cost(of size: PixelSize) -> Int {
    switch self {
    case .bytes: size.byteCount
    case .pixels: size.width * size.height
    case .none: 0
    }
  }
}

extension PixelSize {
  /// The bytes of a decoded picture of this size.
  var byteCount: Int { width * height * 4 }
}
