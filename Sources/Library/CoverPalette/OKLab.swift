public import CoverCache
internal import Glibc

/// A colour in OKLab, where equal distances look about equally different.
///
/// Source: Björn Ottosson, "A perceptual color space for image processing", 2020,
/// https://bottosson.github.io/posts/oklab/.
public struct OKLab: Equatable, Sendable {
  /// Perceived lightness, 0 for black to 1 for white.
  public let lightness: Double
  /// From green (negative) to red (positive).
  public let greenRed: Double
  /// From blue (negative) to yellow (positive).
  public let blueYellow: Double

  /// Converts linear sRGB values, which are 0 to 1 inside the gamut.
  public init(linearRed red: Double, green: Double, blue: Double) {
    let long = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    let medium = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    let short = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    greenRed = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    blueYellow = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
  }

  /// Converts a pixel and ignores its opacity.
  public init(_ colour: RGBA) {
    self.init(
      linearRed: linearLight(colour.red), green: linearLight(colour.green),
      blue: linearLight(colour.blue))
  }

  /// The distance from grey, 0 to about 0.37 in sRGB.
  public var chroma: Double { hypot(greenRed, blueYellow) }

  /// Returns the Euclidean distance to another colour; black and white are 1 apart.
  public func distance(to other: OKLab) -> Double {
    hypot(
      lightness - other.lightness,
      hypot(greenRed - other.greenRed, blueYellow - other.blueYellow))
  }
}

/// Returns the linear light of an sRGB value, 0 to 1.
///
/// Source: IEC 61966-2-1.
func linearLight(_ value: UInt8) -> Double {
  let share = Double(value) / 255
  return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
}
