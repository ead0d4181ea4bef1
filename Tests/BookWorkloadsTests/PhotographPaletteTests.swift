import CoverCache
import CoverPalette
import PerfTestSupport
import Testing

@testable import BookWorkloads

/// The palettes of the 25 photograph-like pictures.
struct PhotographPaletteTests {
  /// The just visible difference in OKLab, CSS Color Module Level 4.
  private static let visible = 0.02

  private static let photographs = Result {
    let folder = try TemporaryFolder()
    let covers = PaletteCovers(
      pictures: .photographs, width: 160, isProgressive: false, seed: 1, cache: folder.path)
    _ = try covers.prepare { _, _ in }
    return try covers.load()
  }

  private func palette(of cover: PaletteCovers.Cover) throws -> Palette {
    try PaletteExtractor().palette(of: cover.bytes, cover: cover.name)
  }

  @Test func `the roles of photographs are clearly different colours of the picture`() throws {
    for photograph in try Self.photographs.get() {
      let palette = try palette(of: photograph)
      let roles = [palette.primary, palette.secondary, palette.accent]
      for one in roles.indices {
        for other in roles[..<one] {
          // Twice the just visible difference.
          let distance = OKLab(roles[one]).distance(to: OKLab(other))
          #expect(distance >= 2 * Self.visible, "\(photograph.name): \(roles)")
        }
      }
      for role in roles + [palette.background] {
        let share = photograph.colours.share(within: 2 * Self.visible, of: role)
        #expect(share >= 0.001, "\(photograph.name): \(role)")
      }
      #expect(palette.text.contrast(with: palette.background) >= Palette.readableContrast)
    }
  }

  @Test(arguments: [100, 120])
  func `photographs and their thumbnails have the same palette, except near a tie`(
    width: Int
  ) throws {
    var distances: [Double] = []
    for photograph in try Self.photographs.get() {
      let whole = try JPEGDecoder().decode(photograph.bytes, cover: photograph.name)
      let small = try whole.scaledDown(to: PixelSize(width: width, height: width * 3 / 2))
      let thumbnail = try JPEGEncoder(quality: 85).encode(small)
      let palette = try PaletteExtractor().palette(of: thumbnail, cover: photograph.name)
      distances.append(palette.distance(to: try self.palette(of: photograph)))
    }
    // Pictures of few pixels differ more: thumbnails of 200 pixels of larger photographs all agree.
    #expect(distances.count { $0 <= Self.visible } >= 21, "\(distances)")
  }

  @Test func `the pixels of photographs are near a colour of the palette`() throws {
    let distances = try Self.photographs.get().map { photograph in
      photograph.colours.distance(toNearestOf: try palette(of: photograph).roles)
    }
    let mean = distances.reduce(0, +) / Double(distances.count)
    #expect(mean <= 0.045, "\(distances)")
  }
}
