internal import CTurboJPEG

extension JPEGDecoder {
  /// Decodes a JPEG to its stored planes, without converting them to RGB.
  ///
  /// - Throws: As ``decode(_:cover:)``, and ``CoverError/unsupported(cover:reason:)`` for a file
  ///   that stores RGB.
  public func decodePlanes(_ bytes: [UInt8], cover: String) throws(CoverError) -> YUVPicture {
    let decompressor = try TurboDecompressor(cover: cover)
    let (size, subsampling, space) = try decompressor.layout(
      of: bytes, maximumPixels: maximumPixels)
    return try decompressor.decodePlanes(bytes, size: size, subsampling, space)
  }
}

extension TurboDecompressor {
  /// Decodes to planes without padding.
  fileprivate func decodePlanes(
    _ bytes: [UInt8], size: PixelSize, _ subsampling: Int32, _ space: Int32
  ) throws(CoverError) -> YUVPicture {
    guard space == TJCS_YCbCr.rawValue || space == TJCS_GRAY.rawValue else {
      throw .unsupported(cover: cover, reason: "it stores RGB instead of YCbCr planes")
    }
    let (width, height) = (Int32(size.width), Int32(size.height))
    func plane(_ number: Int32) -> PixelSize {
      PixelSize(
        width: max(0, Int(tjPlaneWidth(number, width, subsampling))),
        height: max(0, Int(tjPlaneHeight(number, height, subsampling))))
    }
    let luma = plane(0)
    // A grey file has no second plane; libturbojpeg returns -1 for its size.
    let chroma = space == TJCS_GRAY.rawValue ? PixelSize(width: 0, height: 0) : plane(1)
    var samples = [UInt8](
      repeating: 0, count: luma.width * luma.height + 2 * chroma.width * chroma.height)
    let status = samples.withUnsafeMutableBufferPointer { samples in
      tjDecompressToYUV2(
        handle, bytes, UInt(bytes.count), samples.baseAddress, width, 1, height,
        TJFLAG_LIMITSCANS)
    }
    guard status == 0 || isHarmlessWarning(bytes) else {
      throw .damaged(cover: cover, reason: reason)
    }
    return YUVPicture(size: size, lumaSize: luma, chromaSize: chroma, samples: samples)
  }
}
