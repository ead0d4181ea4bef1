internal import CTurboJPEG

extension JPEGDecoder {
  /// Decodes a JPEG to its stored planes, without converting them to RGB or turning them.
  ///
  /// - Throws: As ``decode(_:cover:)``, and ``CoverError/unsupported(cover:reason:)`` for a file
  ///   that stores RGB or CMYK.
  public func decodePlanes(_ bytes: [UInt8], cover: String) throws(CoverError) -> YUVPicture {
    try file(bytes, cover).decodePlanes()
  }
}

extension JPEGFile {
  /// Decodes to planes without padding.
  fileprivate func decodePlanes() throws(CoverError) -> YUVPicture {
    guard space == TJCS_YCbCr.rawValue || space == TJCS_GRAY.rawValue, subsampling >= 0 else {
      let kind = subsampling < 0 ? "its planes have an unusual size" : "it stores no YCbCr planes"
      throw .unsupported(cover: decompressor.cover, reason: kind)
    }
    let (width, height) = (Int32(storedSize.width), Int32(storedSize.height))
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
        decompressor.handle, bytes, UInt(bytes.count), samples.baseAddress, width, 1, height,
        TJFLAG_LIMITSCANS)
    }
    guard status == 0 || decompressor.isHarmlessWarning(bytes) else { throw decompressor.failure }
    return YUVPicture(
      size: storedSize, lumaSize: luma, chromaSize: chroma, samples: samples,
      orientation: layout.orientation, conversion: conversion)
  }
}
