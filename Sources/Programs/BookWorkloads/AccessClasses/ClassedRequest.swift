internal import CoverCache

/// What a photo is looked at for: the PhotoSwiftUISmoothly case study's three uses of its cache.
enum AccessClass: String, CaseIterable {
  /// Small, in a grid that is scrolled: asked for often, and to be kept long.
  case grid
  /// As large as the screen, one at a time: asked for less often, and kept for a short time.
  case page
  /// Of any size, in a list of settings: looked at once.
  case settings
}

/// A photo in a size, asked for by one of the three uses.
struct ClassedRequest: Hashable {
  /// What it is for.
  let use: AccessClass
  /// The photo, from 0; in a list of settings a number that does not come again.
  let photo: Int
  /// How large it is wanted.
  let size: PixelSize

  /// Its key in a cache, as the case study makes it.
  var key: String { "\(photo)_\(size)" }
}
