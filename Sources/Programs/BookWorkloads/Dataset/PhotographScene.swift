/// The contents of a photograph-like picture, independent of its size.
///
/// Places are shares of the width and of the height.
struct PhotographScene {
  /// A surface that extends from a height down to the next one, such as a sky or a meadow.
  struct Surface {
    /// The height at which the surface begins.
    let top: Float
    /// The irregularity of its upper edge, in shares of the height.
    let ridge: Float
    /// The colours at its upper and at its lower edge.
    let far: CoverColor
    let near: CoverColor
    /// The colour towards which the texture varies.
    let fleck: CoverColor
    /// The strength of the texture, 0 to 1.
    let texture: Float
    /// The depth of the shadows, 0 to 1.
    let shade: Float
  }

  /// A rounded object, lit from the upper left.
  struct Object {
    let x: Float
    let y: Float
    /// The radii in shares of the width and of the height.
    let width: Float
    let height: Float
    let colour: CoverColor
    /// The width of its blurred edge in shares of its radius.
    let blur: Float
    /// Whether it emits light evenly, as a lamp out of focus.
    let glows: Bool
    let opacity: Float
  }

  /// The surfaces from top to bottom; the first begins at 0.
  let surfaces: [Surface]
  /// The objects from back to front.
  let objects: [Object]
  /// The loss of light in the corners, 0 to 1.
  let vignette: Float
  /// The largest grain, in levels of 255.
  let grain: Int
}

extension CoverColor {
  /// Creates a colour from levels of 0...255.
  static func levels(_ red: Float, _ green: Float, _ blue: Float) -> Self {
    Self(red, green, blue) / 255
  }

  /// Returns a colour that a photographer would give the same name.
  func varied(_ random: inout SplitMix64) -> Self {
    let light = 0.8 + 0.4 * random.fraction()
    let tint = Self(random.fraction(), random.fraction(), random.fraction()) * 0.1 - 0.05
    return (self * light + tint).clamped(lowerBound: .zero, upperBound: .one)
  }

  /// Returns a mixture with another colour, 0 for this and 1 for the other.
  func mixed(_ other: Self, _ share: Float) -> Self { self + (other - self) * share }
}
