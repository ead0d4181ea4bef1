/// A method of extracting a palette from a JPEG.
public enum PaletteMethod: String, CaseIterable, Hashable, Sendable {
  /// Decodes all pixels, reads them one by one and counts them in a dictionary: the case study's
  /// first.
  case everyPixel = "every-pixel"
  /// Decodes and averages to fit a box of 400 pixels: the case study's second.
  case singleScale = "single-scale"
  /// Counts the pixels of ``singleScale`` at three weighted scales: the case study's last.
  case multiScale = "multi-scale"
  /// Uses only the smallest of the three scales, which has two thirds of the weight.
  case quarterScale = "quarter-scale"
  /// Decodes at an eighth by the inverse DCT.
  case scaledDecode = "scaled-decode"
  /// Reads the means of the file's 8x8 blocks, also an eighth of the size, without an inverse DCT.
  case blockMeans = "block-means"
}
