internal import CoverCache

/// Paints photograph-like pictures: soft surfaces with texture, rounded objects, grain.
struct PhotographPainter {
  private let scene: PhotographScene
  private let size: PixelSize
  /// The wide noise moves edges and shadows; the narrow one is the texture.
  private let wide: ValueNoise
  private let narrow: ValueNoise

  /// Paints a picture that fills the canvas.
  static func paint(_ scene: PhotographScene, on canvas: CoverCanvas, _ random: inout SplitMix64) {
    PhotographPainter(scene, canvas.size, &random).paint(on: canvas, &random)
  }

  private init(_ scene: PhotographScene, _ size: PixelSize, _ random: inout SplitMix64) {
    self.scene = scene
    self.size = size
    // Details below a five-hundredth of the width are left to the grain, which saves most of the
    // memory.
    let narrowest = max(1, size.width / 500)
    func noise(_ part: Int) -> ValueNoise {
      ValueNoise(
        width: size.width, height: size.height, period: max(1, size.width / part),
        narrowest: narrowest, &random)
    }
    wide = noise(2)
    narrow = noise(12)
  }

  private func paint(on canvas: CoverCanvas, _ random: inout SplitMix64) {
    var shadows = [Float](repeating: 0, count: size.width)
    var flecks = shadows
    var colours = [CoverColor](repeating: .zero, count: size.width)
    for y in 0..<size.height {
      wide.fill(&shadows, at: y)
      narrow.fill(&flecks, at: y)
      let height = (Float(y) + 0.5) / Float(size.height)
      for x in colours.indices {
        colours[x] = surface(at: height, shadow: shadows[x], fleck: flecks[x])
      }
      for object in scene.objects { paint(object, at: height, on: &colours) }
      canvas.withRow(y) { row in finish(colours, at: height, to: row, &random) }
    }
  }

  /// Returns the colour of the surfaces at a height.
  private func surface(at height: Float, shadow: Float, fleck: Float) -> CoverColor {
    // The noise has most values near 0.5, so its contrast is raised.
    let shadow = max(0, min(1, (shadow - 0.5) * 2.2 + 0.5))
    let fleck = max(0, min(1, (fleck - 0.5) * 3 + 0.5))
    var colour = CoverColor.zero
    for (index, surface) in scene.surfaces.enumerated() {
      let edge = surface.top + (shadow - 0.5) * surface.ridge
      let cover = index == 0 ? 1 : Self.smooth((height - edge) / 0.006 + 0.5)
      guard cover > 0 else { continue }
      let bottom = index + 1 < scene.surfaces.count ? scene.surfaces[index + 1].top : 1
      let depth = max(0, min(1, (height - surface.top) / max(0.01, bottom - surface.top)))
      let plain = surface.far.mixed(surface.near, depth)
      let textured = plain.mixed(surface.fleck, fleck * fleck * surface.texture)
      let light = 1 - surface.shade * (1 - (shadow + fleck) / 2)
      colour = colour.mixed(textured * light, cover)
    }
    return colour
  }

  private func paint(
    _ object: PhotographScene.Object, at height: Float, on colours: inout [CoverColor]
  ) {
    let reach = 1 + object.blur
    let dy = (height - object.y) / object.height
    guard abs(dy) < reach else { return }
    let half = object.width * (reach * reach - dy * dy).squareRoot()
    let width = Float(colours.count)
    let columns = Int((object.x - half) * width)..<Int((object.x + half) * width) + 1
    for x in columns.clamped(to: colours.indices) {
      let dx = ((Float(x) + 0.5) / width - object.x) / object.width
      let distance = (dx * dx + dy * dy).squareRoot()
      let cover = object.opacity * Self.smooth((reach - distance) / (2 * object.blur))
      colours[x] = colours[x].mixed(Self.lit(object, dx, dy), cover)
    }
  }

  /// Returns the colour of a point of an object, in shares of its radii from its centre.
  private static func lit(
    _ object: PhotographScene.Object, _ dx: Float, _ dy: Float
  ) -> CoverColor {
    guard !object.glows else { return object.colour }
    let towards = max(0, 1 - dx * dx - dy * dy).squareRoot()
    // The cosine between the surface and the light from the upper left (-1, -1, 1).
    let light = max(0, (towards - dx - dy) / 1.732)
    let shine = light * light * light * light
    return (object.colour * (0.45 + 0.75 * light)).mixed(.one, 0.3 * shine * shine * shine)
  }

  private func finish(
    _ colours: [CoverColor], at height: Float, to row: UnsafeMutableBufferPointer<UInt32>,
    _ random: inout SplitMix64
  ) {
    let dy = 2 * height - 1
    for x in row.indices {
      let dx = 2 * (Float(x) + 0.5) / Float(row.count) - 1
      let light = 1 - scene.vignette * (dx * dx + dy * dy) / 2
      row[x] = CoverCanvas.pixel(colours[x] * light + grain(&random))
    }
  }

  /// Draws the grain of a pixel: much in its light, less in its colour.
  private func grain(_ random: inout SplitMix64) -> CoverColor {
    let bits = random.next()
    func level(_ shift: UInt64) -> Float {
      Float(Int(bits >> shift & 0xFF) + Int(bits >> (shift + 8) & 0xFF) - 255) / 255
    }
    let tint = CoverColor(level(16), level(32), level(48)) * 0.4
    return (tint + level(0)) * Float(scene.grain) / 255
  }

  private static func smooth(_ value: Float) -> Float {
    let t = max(0, min(1, value))
    return t * t * (3 - 2 * t)
  }
}
