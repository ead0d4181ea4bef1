internal import CoverCache

/// A palette and when it was made.
struct StoredPalette: Equatable {
  let palette: Palette
  /// The time since 1970, in whole seconds on the disk.
  let made: Duration

  /// Makes a palette that was made at a time.
  init(palette: Palette, made: Duration) {
    self.palette = palette
    self.made = made
  }

  /// Whether it is neither too old nor, by a clock that was set back, of a far future.
  func isValid(at now: Duration) -> Bool {
    (now - made).magnitude <= PaletteCache.maximumAge
  }

  /// The palette as the disk tier stores it.
  ///
  /// A version, red, green and blue of the five roles, and 8 bytes of seconds, the lowest first.
  var bytes: [UInt8] {
    let seconds = UInt64(bitPattern: made.components.seconds)
    return [StoredPalette.version]
      + palette.roles.flatMap { [$0.red, $0.green, $0.blue] }
      + (0..<8).map { UInt8(truncatingIfNeeded: seconds >> (8 * $0)) }
  }

  /// Reads what ``bytes`` wrote; nil for another version's.
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
  /// The duration without its sign.
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
