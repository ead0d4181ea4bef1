internal import CoverCache

/// A cover source that calls a closure.
struct DerivedCovers: CoverSource {
  let encodedCover: @Sendable (_ key: String) throws(CoverError) -> [UInt8]

  func encodedCover(for key: String) throws(CoverError) -> [UInt8] { try encodedCover(key) }
}
