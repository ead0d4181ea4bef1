/// The size and kind of a JPEG file, from its header.
public struct JPEGHeader: Hashable, Sendable {
  /// The size of the whole picture, upright as it is displayed.
  public let size: PixelSize
  /// Whether the picture is stored in several scans, coarse to fine.
  public let isProgressive: Bool
  /// The position of the stored rows on the display, from the file's Exif data.
  ///
  /// Every decode returns the picture upright, and so does not need it again.
  public let orientation: PictureOrientation
  /// The use of the file's colour profile.
  public let profile: ColorProfileUse
  /// The working memory of a decode without its result, in bytes.
  ///
  /// A file of several scans needs all its coefficients at once, however small the result: two bytes
  /// for each value of a pixel, e.g. 1.5 values at 4:2:0 and 4 in CMYK. A file of one scan needs a
  /// few rows.
  public let workingBytes: Int

  init(
    size: PixelSize, isProgressive: Bool, orientation: PictureOrientation = .up,
    profile: ColorProfileUse = .standard, workingBytes: Int
  ) {
    self.size = size
    self.isProgressive = isProgressive
    self.orientation = orientation
    self.profile = profile
    self.workingBytes = workingBytes
  }
}
