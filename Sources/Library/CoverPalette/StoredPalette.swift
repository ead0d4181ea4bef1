/// A palette with the time of its extraction.
struct StoredPalette {
  let palette: Palette
  /// The time since 1970, stored in whole seconds.
  let made: Duration

  /// Returns whether the palette is neither too old nor, after a clock was set back, far in the
  /// future.
  func isValid(at now: Duration) -> Bool {
    (.zero - PaletteCache.maximumAge...PaletteCache.maximumAge).contains(now - made)
  }
}

extension StoredPalette {
  private static let version: UInt8 = 3

  /// The palette in the format of the disk tier.
  ///
  /// A version, red, green and blue of the five roles, and 8 bytes of seconds in little-endian
  /// order.
  var bytes: [UInt8] {
    let seconds = UInt64(bitPattern: made.components.seconds)
    return [Self.version] + palette.rgb
      + (0..<8).map { UInt8(truncatingIfNeeded: seconds >> (8 * $0)) }
  }

  /// Reads the format of ``bytes``; nil for another version.
  init?(bytes: [UInt8]) {
    guard bytes.count == 24, bytes[0] == Self.version,
      let palette = Palette(rgb: Array(bytes[1..<16]))
    else { return nil }
    let seconds = bytes[16...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self.init(palette: palette, made: .seconds(Int64(bitPattern: seconds)))
  }
}
