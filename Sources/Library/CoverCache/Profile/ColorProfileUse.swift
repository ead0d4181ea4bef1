/// The use of the colour profile that is embedded in a picture.
public enum ColorProfileUse: Hashable, Sendable, CustomStringConvertible {
  /// The picture has no profile, or one whose colours are those of sRGB.
  case standard
  /// Decoding converts the colours from this profile to sRGB.
  ///
  /// Colours outside sRGB become the nearest in each channel.
  case converted(name: String)
  /// Decoding takes the colours for sRGB, so that they may be wrong.
  case ignored(name: String, reason: String)

  /// The use as a sentence.
  public var description: String {
    switch self {
    case .standard: "The colours are sRGB."
    case .converted(let name): "The colours are converted from '\(name)' to sRGB."
    case .ignored(let name, let reason): "The colours of '\(name)' are not converted: \(reason)."
    }
  }

  /// Reads the profile from the parts in a JPEG file, in the order of the file.
  ///
  /// Each part begins with its number, from 1, and the number of parts.
  ///
  /// - Returns: The use and, if the use is ``converted(name:)``, the conversion.
  /// Source: ICC.1:2022, B.4.
  static func read(
    _ parts: [[UInt8]], components: Int
  ) -> (use: ColorProfileUse, conversion: ColorConversion?) {
    guard let first = parts.first else { return (.standard, nil) }
    let sorted = parts.filter { $0.count >= 2 }.sorted { $0[0] < $1[0] }
    guard sorted.map({ Int($0[0]) }) == Array(1...max(1, Int(first.dropFirst().first ?? 0))),
      let profile = ICCProfile(sorted.flatMap { $0.dropFirst(2) })
    else { return (.ignored(name: "unknown", reason: "the profile is damaged"), nil) }
    let name = profile.name
    // The profiles of sRGB by lookup tables cannot be compared with it.
    guard !name.hasPrefix("sRGB") else { return (.standard, nil) }
    func ignored(_ reason: String) -> (ColorProfileUse, ColorConversion?) {
      (.ignored(name: name, reason: reason), nil)
    }
    guard components != 4 else { return ignored("CMYK is converted without a profile") }
    guard profile.space != .grey || components == 1 else {
      return ignored("it is for grey pictures")
    }
    guard let conversion = ColorConversion(profile) else {
      return ignored("it has no curves and primaries, only lookup tables, or is damaged")
    }
    return conversion.isNeutral ? (.standard, nil) : (.converted(name: name), conversion)
  }
}
