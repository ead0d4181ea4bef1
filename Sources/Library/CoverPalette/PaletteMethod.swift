/// How a palette is got from a JPEG.
public enum PaletteMethod: String, CaseIterable, Hashable, Sendable {
  /// All pixels are decoded, read one by one and counted in a dictionary: the case study's first.
  case everyPixel = "every-pixel"
  /// Decoded and averaged to fit a box of 400 pixels: the case study's second.
  case singleScale = "single-scale"
  /// The same, counted at three scales with weights: what the case study ended with.
  case multiScale = "multi-scale"
  /// The smallest of the three scales alone, which has two thirds of all weight.
  case quarterScale = "quarter-scale"
  /// Decoded at an eighth by the inverse DCT.
  case scaledDecode = "scaled-decode"
  /// From the means of the file's own blocks, which is an eighth as well, and no decode at all.
  case blockMeans = "block-means"
}
