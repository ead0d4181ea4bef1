internal import CoverCache

/// A palette with the time of its extraction.
struct StoredPalette: Equatable {
  let palette: Palette
  /// The time since 1970, stored in whole seconds.
  let made: Duration

  /// Creates a palette extracted at a time.
  init(palette: Palette, made: Duration) {
    self.palette = palette
    self.made = made
  }

  /// Returns whether the palette is neither too old nor, after a clock was set back, far in the
  /// future.
  func isValid(at now: Duration) -> Bool {
    (now - made).magnitude <= PaletteCache.maximumAge
  }

  /// The palette in the format of the disk tier.
  ///
  /// A version, red, green and blue of the five roles, and 8 bytes of seconds in little-endian
  /// order.
  var bytes: [UInt8] {
    let seconds = UInt64(bitPattern: made.components.seconds)
    return [StoredPalette.version]
      + palette.roles.flatMap { [$0.red, $0.green, $0.blue] }
      + (0..<8).map { UInt8(truncatingIfNeeded: seconds >> (8 * $0)) }
  }

  /// Reads the format of ``bytes``; nil for another version.
  init?(bytes: [UInt8]) {
    guard bytes.count == 24, bytes[0] == StoredPalette.version else { return nil }
    let colours = stride(from: 1, to: 16, by: 3).map { index in
      RGBA(red: bytes[index], green: bytes[index + 1], blue: bytes[index + 2])
    }
    palette = Palette(
      primary: colours[0], secondary: colours[1], accent: colours[2], background: colours[3],
      text: colours[4])
    let seconds = bytes[16...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    made = .seconds(Int64(bitPattern: seconds))
  }

  private static let version: UInt8 = 2
}

extension Duration {
  /// The absolute duration.
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
