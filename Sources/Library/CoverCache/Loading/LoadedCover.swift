/// The product of a load.
enum LoadedCover: Sendable {
  /// The decoded cover.
  case picture(PixelBuffer)
  /// A cover that a tier of encoded covers keeps, and that no request wanted decoded.
  case encoded(byteCount: Int)

  /// The size of the product in memory, in bytes.
  var byteCount: Int {
    switch self {
    case .picture(let cover): cover.byteCount
    case .encoded(let byteCount): byteCount
    }
  }
}

/// The largest product that the requests for a load still want.
enum LoadNeed {
  /// No request is left.
  case nothing
  /// The encoded cover in its tier.
  case encoded
  /// The decoded cover.
  case picture
}
