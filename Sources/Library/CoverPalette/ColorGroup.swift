internal import CoverCache

/// A group of similar shades of a picture, treated as one colour.
struct ColorGroup {
  /// The colour in the middle of the shades.
  let colour: RGBA
  /// The colour in OKLab.
  let lab: OKLab
  /// The share of the pixels whose shades belong to the group, 0 to 1.
  let share: Double
  /// The presence of the colour: the shares of all shades, those further away counting less.
  let presence: Double
}
