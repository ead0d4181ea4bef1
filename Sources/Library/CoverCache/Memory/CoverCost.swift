/// The cost of a cover against a tier's byte limit.
///
/// ``pixels`` and ``none`` are mistakes of the case studies, kept to show their effect.
public enum CoverCost: String, CaseIterable, Sendable {
  /// The bytes of its pixels.
  case bytes
  /// The number of its pixels; a limit of 100 MB then admits 419 MB.
  case pixels
  /// Zero, as for a cover stored without a cost; only the limit on the number of objects holds.
  case none

  /// Returns the cost of a cover of a size.
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
