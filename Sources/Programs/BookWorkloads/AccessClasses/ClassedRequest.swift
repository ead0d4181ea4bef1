internal import CoverCache

/// The three uses of a photo in the PhotoSwiftUISmoothly case study.
enum AccessClass: String, CaseIterable {
  /// A small photo in a scrolled grid, which is requested often and should stay in memory.
  case grid
  /// A screen-sized photo, which is requested less often and needed briefly.
  case page
  /// A photo of any size in a list of settings, which is requested once.
  case settings
}

/// A request for a photo in a size.
struct ClassedRequest: Hashable {
  /// The use of the photo.
  let use: AccessClass
  /// The number of the photo, from 0; photos in a list of settings have unique numbers.
  let photo: Int
  /// The requested size.
  let size: PixelSize

  /// The cache key, in the form that the case study uses.
  var key: String { "\(photo)_\(size)" }
}
