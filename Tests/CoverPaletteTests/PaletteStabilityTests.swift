import CoverCache
import CoverPalette
import PerfTestSupport
import Testing

/// The palettes of pictures that differ as much as a picture and its thumbnail.
@Suite struct `the palette of a picture with slightly different shades` {
  /// The just visible difference in OKLab, CSS Color Module Level 4.
  private static let visible = 0.02

  /// Returns 40 to 80 shades around six to nine colours of different weights.
  private func shades(_ random: inout SampleRandom) -> [ColorPeak] {
    let colours = (0..<Int.random(in: 6...9, using: &random)).map { _ in
      (
        levels: (0..<3).map { _ in Double.random(in: 30...225, using: &random) },
        weight: Double.random(in: 0.1...1, using: &random),
        spread: Double.random(in: 8...40, using: &random)
      )
    }
    let shades = colours.flatMap { colour in
      (0..<Int.random(in: 6...9, using: &random)).map { _ in
        let levels = colour.levels.map { level in
          UInt8(max(0, min(255, random.around(level, spread: colour.spread))))
        }
        return ColorPeak(
          colour: RGBA(red: levels[0], green: levels[1], blue: levels[2]),
          share: colour.weight * Double.random(in: 0.1...1, using: &random))
      }
    }
    return Self.normalised(shades)
  }

  /// Returns shades with other shares, by up to 1 %, and levels that differ by up to 1.
  private func varied(_ shades: [ColorPeak], _ random: inout SampleRandom) -> [ColorPeak] {
    Self.normalised(
      shades.map { shade in
        let levels = [shade.colour.red, shade.colour.green, shade.colour.blue].map { level in
          UInt8(max(0, min(255, Int(level) + Int.random(in: -1...1, using: &random))))
        }
        return ColorPeak(
          colour: RGBA(red: levels[0], green: levels[1], blue: levels[2]),
          share: shade.share * Double.random(in: 0.99...1.01, using: &random))
      })
  }

  private static func normalised(_ shades: [ColorPeak]) -> [ColorPeak] {
    let all = shades.reduce(0) { $0 + $1.share }
    return shades.map { ColorPeak(colour: $0.colour, share: $0.share / all) }
  }

  @Test func `a palette hardly changes with the shades, except near a tie`() {
    var random = SampleRandom(seed: 27)
    var same = 0
    for _ in 0..<100 {
      let shades = shades(&random)
      let distance = Palette(assigning: shades)
        .distance(to: Palette(assigning: varied(shades, &random)))
      if distance <= Self.visible { same += 1 }
    }
    // Two colours of nearly equal presence, lightness or chroma exchange roles in the others.
    #expect(same >= 88, "\(same) of 100 palettes are within \(Self.visible)")
  }

  @Test func `roles are clearly different unless their shades are nearly equal`() {
    var random = SampleRandom(seed: 28)
    for _ in 0..<100 {
      let palette = Palette(assigning: shades(&random))
      let roles = [palette.primary, palette.secondary, palette.accent].map { OKLab($0) }
      for one in roles.indices {
        for other in roles[..<one] { #expect(roles[one].distance(to: other) >= 2 * Self.visible) }
      }
    }
  }
}
