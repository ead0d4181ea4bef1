/// A kind of scene, with the colours that photographs of it have.
///
/// Skin, sky, foliage and strong colours are the patches of the ColorChecker in sRGB, which was made
/// from such objects. Source: C. S. McCamy, H. Marcus, J. G. Davidson, "A color-rendition chart",
/// Journal of Applied Photographic Engineering 2(3), 1976.
enum PhotographKind: String, CaseIterable {
  case meadow
  case sunset
  case forest
  case portrait
  case beach
  case snow
  case night
  case fruit
  case flower
  case street

  private typealias Surface = PhotographScene.Surface
  private typealias Object = PhotographScene.Object

  private static let sky = CoverColor.levels(98, 122, 157)
  private static let foliage = CoverColor.levels(87, 108, 67)
  private static let skins: [CoverColor] = [.levels(194, 150, 130), .levels(115, 82, 68)]
  private static let strong: [CoverColor] = [
    .levels(214, 126, 44), .levels(193, 90, 99), .levels(231, 199, 31), .levels(175, 54, 60),
    .levels(70, 148, 73), .levels(80, 91, 166), .levels(133, 128, 177), .levels(224, 163, 46),
    .levels(187, 86, 149), .levels(8, 133, 161), .levels(56, 61, 150),
  ]
  private static let white = CoverColor.levels(243, 243, 242)
  private static let black = CoverColor.levels(30, 29, 31)
  private static let wood = CoverColor.levels(126, 84, 52)

  /// Draws a scene.
  func scene(_ random: inout SplitMix64) -> PhotographScene {
    let (surfaces, objects) = contents(&random)
    return PhotographScene(
      surfaces: surfaces, objects: objects, vignette: 0.1 + 0.3 * random.fraction(),
      grain: random.of(2...12))
  }

  private func contents(_ random: inout SplitMix64) -> ([Surface], [Object]) {
    switch self {
    case .meadow: meadow(&random)
    case .sunset: sunset(&random)
    case .forest: forest(&random)
    case .portrait: portrait(&random)
    case .beach: beach(&random)
    case .snow: snow(&random)
    case .night: night(&random)
    case .fruit: fruit(&random)
    case .flower: flower(&random)
    case .street: street(&random)
    }
  }

  // MARK: - Scenes

  private func meadow(_ random: inout SplitMix64) -> ([Surface], [Object]) {
    let horizon = 0.3 + 0.25 * random.fraction()
    let green = Self.foliage.varied(&random)
    let flower = random.of(Self.strong)
    let surfaces = [
      Self.openSky(&random),
      Surface(
        top: horizon, ridge: 0.08, far: green * 0.6, near: green * 0.8,
        fleck: green.mixed(Self.black, 0.6), texture: 0.8, shade: 0.5),
      Surface(
        top: horizon + 0.12, ridge: 0.02, far: green * 1.2, near: green,
        fleck: .levels(160, 170, 80), texture: 0.7, shade: 0.5),
    ]
    let objects = (0..<random.of(20...60)).map { _ in
      Self.spot(
        x: 0...1, y: horizon + 0.2...1, size: 0.008...0.03, flower.varied(&random), &random)
    }
    return (surfaces, objects)
  }

  private func sunset(_ random: inout SplitMix64) -> ([Surface], [Object]) {
    let horizon = 0.5 + 0.2 * random.fraction()
    let glow = CoverColor.levels(236, 140, 62).varied(&random)
    let dusk = CoverColor.levels(72, 66, 110).varied(&random)
    let sun = Object(
      x: 0.2 + 0.6 * random.fraction(), y: horizon - 0.05, width: 0.07, height: 0.05,
      colour: .levels(255, 236, 170), blur: 0.5, glows: true, opacity: 1)
    let surfaces = [
      Surface(
        top: 0, ridge: 0, far: dusk, near: glow, fleck: .levels(190, 100, 100), texture: 0.5,
        shade: 0.15),
      Surface(
        top: horizon, ridge: 0.002, far: glow * 0.7, near: dusk * 0.6, fleck: glow, texture: 0.5,
        shade: 0.5),
      Surface(
        top: 0.9, ridge: 0.08, far: Self.black, near: Self.black * 0.7, fleck: dusk * 0.4,
        texture: 0.4, shade: 0.4),
    ]
    return (surfaces, [sun])
  }

  private func forest(_ random: inout SplitMix64) -> ([Surface], [Object]) {
    let green = Self.foliage.varied(&random)
    let isAutumn = random.below(2) == 0
    let leaf = isAutumn ? CoverColor.levels(196, 112, 42) : CoverColor.levels(140, 164, 70)
    let surfaces = [
      Surface(
        top: 0, ridge: 0, far: green * 0.8, near: green * 0.5, fleck: leaf.varied(&random),
        texture: 1, shade: 0.8),
      Surface(
        top: 0.75, ridge: 0.06, far: Self.wood * 0.6, near: Self.wood * 0.8, fleck: leaf * 0.8,
        texture: 0.8, shade: 0.6),
    ]
    let trunks = (0..<random.of(4...9)).map { _ in
      Object(
        x: random.fraction(), y: 0.4, width: 0.02 + 0.05 * random.fraction(), height: 0.7,
        colour: (Self.wood * 0.6).varied(&random), blur: 0.15, glows: false, opacity: 0.95)
    }
    return (surfaces, trunks)
  }

  private func portrait(_ random: inout SplitMix64) -> ([Surface], [Object]) {
    let skin = random.of(Self.skins).varied(&random)
    let wall = random.of(Self.strong).mixed(.levels(120, 120, 120), 0.6).varied(&random)
    let hair = random.of([Self.black, Self.wood * 0.6, CoverColor.levels(190, 150, 90)])
    let cloth = random.of(Self.strong).varied(&random)
    let x = 0.4 + 0.2 * random.fraction()
    func part(_ dx: Float, _ y: Float, _ width: Float, _ height: Float, _ colour: CoverColor)
      -> Object
    {
      Object(
        x: x + dx, y: y, width: width, height: height, colour: colour, blur: 0.06, glows: false,
        opacity: 1)
    }
    let body = [
      part(0, 1.02, 0.48, 0.3, cloth), part(0, 0.34, 0.29, 0.24, hair),
      part(0, 0.68, 0.1, 0.12, skin * 0.8), part(0, 0.42, 0.2, 0.2, skin),
      part(-0.08, 0.4, 0.025, 0.01, Self.black), part(0.08, 0.4, 0.025, 0.01, Self.black),
      part(0, 0.53, 0.06, 0.013, .levels(170, 80, 80)),
    ]
    let surface = Surface(
      top: 0, ridge: 0, far: wall, near: wall * 0.6, fleck: wall.mixed(Self.white, 0.3),
      texture: 0.4, shade: 0.3)
    let lights = (0..<random.of(0...8)).map { _ in
      Self.lamp(wall.mixed(Self.white, 0.4), &random)
    }
    return ([surface], lights + body)
  }

  private func beach(_ random: inout SplitMix64) -> ([Surface], [Object]) {
    let sea = CoverColor.levels(8, 133, 161).varied(&random)
    let sand = CoverColor.levels(214, 186, 140).varied(&random)
    let horizon = 0.35 + 0.1 * random.fraction()
    let surfaces = [
      Self.openSky(&random),
      Surface(
        top: horizon, ridge: 0.002, far: sea * 0.7, near: sea, fleck: Self.white, texture: 0.3,
        shade: 0.3),
      Surface(
        top: horizon + 0.25, ridge: 0.05, far: sand * 0.8, near: sand, fleck: sand * 0.7,
        texture: 0.5, shade: 0.25),
    ]
    let towels = (0..<random.of(1...5)).map { _ in
      Self.spot(
        x: 0...1, y: horizon + 0.3...1, size: 0.03...0.12, random.of(Self.strong), &random)
    }
    return (surfaces, towels)
  }

  private func snow(_ random: inout SplitMix64) -> ([Surface], [Object]) {
    let shadow = CoverColor.levels(150, 166, 196).varied(&random)
    let rock = CoverColor.levels(88, 86, 92).varied(&random)
    let surfaces = [
      Self.openSky(&random),
      Surface(
        top: 0.35, ridge: 0.25, far: rock, near: shadow, fleck: Self.white, texture: 0.9,
        shade: 0.4),
      Surface(
        top: 0.7, ridge: 0.06, far: Self.white, near: shadow, fleck: Self.white, texture: 0.3,
        shade: 0.15),
    ]
    let jacket = Self.spot(
      x: 0.2...0.8, y: 0.75...0.9, size: 0.03...0.06, random.of(Self.strong), &random)
    return (surfaces, [jacket])
  }

  private func night(_ random: inout SplitMix64) -> ([Surface], [Object]) {
    let dark = CoverColor.levels(18, 22, 44).varied(&random)
    let surfaces = [
      Surface(
        top: 0, ridge: 0, far: dark, near: dark.mixed(.levels(70, 50, 60), 0.6), fleck: dark * 0.5,
        texture: 0.5, shade: 0.5),
      Surface(
        top: 0.55, ridge: 0.15, far: Self.black * 0.6, near: Self.black,
        fleck: .levels(90, 66, 40), texture: 0.6, shade: 0.5),
    ]
    let lamp = CoverColor.levels(255, 190, 90)
    let lights = (0..<random.of(15...50)).map { index in
      Self.lamp(index.isMultiple(of: 3) ? random.of(Self.strong) : lamp.varied(&random), &random)
    }
    return (surfaces, lights)
  }

  private func fruit(_ random: inout SplitMix64) -> ([Surface], [Object]) {
    let wall = random.of([Self.sky, Self.white, CoverColor.levels(85, 85, 85)]).varied(&random)
    let table = Self.wood.varied(&random)
    let surfaces = [
      Surface(
        top: 0, ridge: 0, far: wall, near: wall * 0.8, fleck: wall * 0.9, texture: 0.2, shade: 0.2),
      Surface(
        top: 0.5, ridge: 0.002, far: table * 0.8, near: table * 1.1, fleck: table * 0.6,
        texture: 0.6, shade: 0.2),
    ]
    let fruits = (0..<random.of(4...9)).map { _ in
      let size = 0.08 + 0.1 * random.fraction()
      return Object(
        x: 0.15 + 0.7 * random.fraction(), y: 0.5 + 0.25 * random.fraction(), width: size,
        height: size * 0.67, colour: random.of(Self.strong).varied(&random), blur: 0.05,
        glows: false, opacity: 1)
    }
    return (surfaces, fruits.sorted { $0.y < $1.y })
  }

  private func flower(_ random: inout SplitMix64) -> ([Surface], [Object]) {
    let green = Self.foliage.varied(&random)
    let petal = random.of(Self.strong).varied(&random)
    let (x, y) = (0.35 + 0.3 * random.fraction(), 0.3 + 0.3 * random.fraction())
    let surface = Surface(
      top: 0, ridge: 0, far: green * 0.5, near: green, fleck: .levels(150, 160, 90), texture: 0.6,
      shade: 0.5)
    let blurred = (0..<random.of(2...6)).map { _ in Self.lamp(petal * 0.8, &random) }
    // Eight petals at multiples of 45 degrees.
    let half: Float = 0.7071
    let directions: [(Float, Float)] = [
      (1, 0), (half, half), (0, 1), (-half, half), (-1, 0), (-half, -half), (0, -1), (half, -half),
    ]
    let petals = directions.map { dx, dy in
      Object(
        x: x + 0.17 * dx, y: y + 0.113 * dy, width: 0.14, height: 0.093,
        colour: petal.varied(&random), blur: 0.12, glows: false, opacity: 0.95)
    }
    let heart = Object(
      x: x, y: y, width: 0.08, height: 0.053, colour: .levels(231, 199, 31), blur: 0.15,
      glows: false, opacity: 1)
    return ([surface], blurred + petals + [heart])
  }

  private func street(_ random: inout SplitMix64) -> ([Surface], [Object]) {
    let facade = random.of([Self.wood, CoverColor.levels(200, 190, 170), Self.skins[0]])
    let road = CoverColor.levels(105, 105, 108).varied(&random)
    let surfaces = [
      Self.openSky(&random),
      Surface(
        top: 0.2, ridge: 0.1, far: facade.varied(&random), near: facade * 0.8,
        fleck: facade * 0.4, texture: 0.8, shade: 0.4),
      Surface(
        top: 0.72, ridge: 0.004, far: road * 0.8, near: road, fleck: road * 1.2, texture: 0.4,
        shade: 0.3),
    ]
    let things = (0..<random.of(5...14)).map { _ in
      Self.spot(
        x: 0...1, y: 0.5...0.9, size: 0.02...0.12, random.of(Self.strong).varied(&random), &random)
    }
    return (surfaces, things)
  }

  // MARK: - Parts

  private static func openSky(_ random: inout SplitMix64) -> Surface {
    let blue = sky.varied(&random)
    return Surface(
      top: 0, ridge: 0, far: blue * 0.9, near: blue.mixed(white, 0.5), fleck: white,
      texture: 0.7 * random.fraction(), shade: 0.1)
  }

  private static func spot(
    x: ClosedRange<Float>, y: ClosedRange<Float>, size: ClosedRange<Float>, _ colour: CoverColor,
    _ random: inout SplitMix64
  ) -> Object {
    func draw(_ range: ClosedRange<Float>) -> Float {
      range.lowerBound + (range.upperBound - range.lowerBound) * random.fraction()
    }
    let width = draw(size)
    return Object(
      x: draw(x), y: draw(y), width: width, height: width * 0.7, colour: colour, blur: 0.1,
      glows: false, opacity: 1)
  }

  /// A light out of focus.
  private static func lamp(_ colour: CoverColor, _ random: inout SplitMix64) -> Object {
    let size = 0.015 + 0.06 * random.fraction()
    return Object(
      x: random.fraction(), y: random.fraction(), width: size, height: size * 0.67, colour: colour,
      blur: 0.25, glows: true, opacity: 0.4 + 0.5 * random.fraction())
  }
}
