internal import Glibc

/// Converts pixels from the colours of a profile to sRGB.
///
/// Each sample adds its light, as red, green and blue of sRGB, by a look-up. The sums are looked up
/// in sRGB's curve. Light outside sRGB is clipped in each channel, as browsers do.
struct ColorConversion: Hashable, Sendable {
  /// The light of each sample of the three components, in units of ``Self/unit``.
  private let red: [SIMD4<Int32>]
  private let green: [SIMD4<Int32>]
  private let blue: [SIMD4<Int32>]
  /// The light of a full channel of sRGB.
  ///
  /// A step is a fifth of the smallest step of sRGB's curve, which is 1 / 255 / 12.92.
  private static let unit = 1 << 14

  /// Creates the conversion of a profile of RGB or grey; nil when it has no curves and primaries.
  init?(_ profile: ICCProfile) {
    switch profile.space {
    case .other: return nil
    case .grey:
      guard let curve = profile.curve("kTRC") else { return nil }
      red = Self.light(curve, SIMD3(repeating: 1))
      let none = Self.light(curve, .zero)
      (green, blue) = (none, none)
    case .rgb:
      let channels = ["r", "g", "b"].compactMap { channel in
        profile.colour("\(channel)XYZ").flatMap { primary in
          profile.curve("\(channel)TRC").map { Self.light($0, Self.sRGB(primary)) }
        }
      }
      guard channels.count == 3 else { return nil }
      (red, green, blue) = (channels[0], channels[1], channels[2])
    }
  }

  /// Whether no colour changes visibly: by at most two levels of a channel.
  ///
  /// Profiles of sRGB round its curve and primaries in different ways.
  var isNeutral: Bool {
    let levels: [UInt8] = [0, 32, 64, 128, 192, 255]
    return levels.allSatisfy { red in
      levels.allSatisfy { green in
        levels.allSatisfy { blue in
          let old = RGBA(red: red, green: green, blue: blue)
          let new = converted(old)
          return [(old.red, new.red), (old.green, new.green), (old.blue, new.blue)]
            .allSatisfy { abs(Int($0) - Int($1)) <= 2 }
        }
      }
    }
  }

  /// Converts pixels in place.
  func apply(to pixels: UnsafeMutableBufferPointer<RGBA>) {
    red.withUnsafeBufferPointer { red in
      green.withUnsafeBufferPointer { green in
        blue.withUnsafeBufferPointer { blue in
          Self.levels.withUnsafeBufferPointer { levels in
            for index in pixels.indices {
              let pixel = pixels[index]
              let light =
                red[Int(pixel.red)] &+ green[Int(pixel.green)] &+ blue[Int(pixel.blue)]
              pixels[index] = Self.pixel(light, levels)
            }
          }
        }
      }
    }
  }

  private func converted(_ pixel: RGBA) -> RGBA {
    var pixel = pixel
    withUnsafeMutablePointer(to: &pixel) {
      apply(to: UnsafeMutableBufferPointer(start: $0, count: 1))
    }
    return pixel
  }

  @inline(__always)
  private static func pixel(
    _ light: SIMD4<Int32>, _ levels: UnsafeBufferPointer<UInt8>
  ) -> RGBA {
    func level(_ light: Int32) -> UInt8 { levels[Int(max(0, min(Int32(unit) - 1, light)))] }
    return RGBA(red: level(light.x), green: level(light.y), blue: level(light.z))
  }

  /// Returns the light of each sample as red, green and blue of sRGB.
  private static func light(_ curve: [Float], _ primary: SIMD3<Float>) -> [SIMD4<Int32>] {
    curve.map { light in
      let scaled = primary * light * Float(unit - 1)
      // Damaged profiles have huge primaries, whose sum must fit into 32 bits.
      func part(_ value: Float) -> Int32 { Int32(max(-1e8, min(1e8, value.rounded()))) }
      return SIMD4(part(scaled.x), part(scaled.y), part(scaled.z), 0)
    }
  }

  /// Converts CIE XYZ of white point D50 to linear sRGB.
  ///
  /// Source: the inverse of the matrix in sRGB's ICC profile, e.g. brucelindbloom.com, "RGB/XYZ
  /// Matrices", sRGB adapted to D50 by Bradford's method.
  private static func sRGB(_ xyz: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(3.1338561, -0.9787684, 0.0719453) * xyz.x
      + SIMD3(-1.6168667, 1.9161415, -0.2289914) * xyz.y
      + SIMD3(-0.4906146, 0.0334540, 1.4052427) * xyz.z
  }

  /// The sample of sRGB for each amount of light.
  ///
  /// Source: IEC 61966-2-1, 5.2.
  private static let levels: [UInt8] = (0..<unit).map { index in
    let light = Float(index) / Float(unit - 1)
    let sample = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    return UInt8((255 * sample).rounded())
  }
}
