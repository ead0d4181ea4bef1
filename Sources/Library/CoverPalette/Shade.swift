internal import CoverCache

/// A shade of a picture: the pixels of one box of a histogram.
struct Shade {
  /// The colour in OKLab.
  let place: SIMD3<Double>
  /// The colour in levels of 255.
  let colour: SIMD3<Double>
  /// The share of all pixels, 0 to 1.
  let share: Double

  /// Creates the shade of a peak.
  init(of peak: ColorPeak) {
    place = OKLab(peak.colour).vector
    colour = peak.colour.vector
    share = peak.share
  }
}

extension RGBA {
  var vector: SIMD3<Double> { SIMD3(Double(red), Double(green), Double(blue)) }
}

extension OKLab {
  var vector: SIMD3<Double> { SIMD3(lightness, greenRed, blueYellow) }
}

extension SIMD3<Double> {
  /// The vector of a colour, rounded to whole levels.
  var colour: RGBA {
    let levels = rounded(.toNearestOrAwayFromZero).clamped(
      lowerBound: .zero, upperBound: SIMD3(repeating: 255))
    return RGBA(red: UInt8(levels.x), green: UInt8(levels.y), blue: UInt8(levels.z))
  }
}
