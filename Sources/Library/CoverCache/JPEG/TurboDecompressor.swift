internal import CTurboJPEG

/// A libturbojpeg decompressor that reports failures as ``CoverError``.
struct TurboDecompressor: ~Copyable {
  let handle: tjhandle
  let cover: String

  init(cover: String) throws(CoverError) {
    guard let handle = tjInitDecompress() else {
      throw .damaged(cover: cover, reason: String(cString: tjGetErrorStr2(nil)))
    }
    self.handle = handle
    self.cover = cover
  }

  deinit { tjDestroy(handle) }

  /// The error of the last call.
  ///
  /// libjpeg describes a valid file of a kind that it does not decode as "not implemented", e.g.
  /// arithmetic coding in some builds.
  var failure: CoverError {
    let reason = String(cString: tjGetErrorStr2(handle))
    return reason.contains("not implemented")
      ? .unsupported(cover: cover, reason: reason) : .damaged(cover: cover, reason: reason)
  }

  /// Reads the stored size, and the subsampling for libturbojpeg's functions on planes.
  ///
  /// The subsampling is negative if it has no name in libturbojpeg, which decodes such a file to
  /// pixels nevertheless.
  func layout(
    of bytes: [UInt8]
  ) throws(CoverError) -> (size: PixelSize, subsampling: Int32, space: Int32) {
    var (width, height, subsampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
    let status = tjDecompressHeader3(
      handle, bytes, UInt(bytes.count), &width, &height, &subsampling, &space)
    guard width > 0, height > 0 else {
      // For a file that ends before its frame header, libturbojpeg reports success and 0x0.
      throw status == 0
        ? .damaged(cover: cover, reason: "it ends before the picture begins") : failure
    }
    return (PixelSize(width: Int(width), height: Int(height)), subsampling, space)
  }

  /// Decodes to one of libturbojpeg's scaled sizes: red, green, blue and 255, or inverted CMYK.
  func decode(
    _ bytes: [UInt8], to output: UnsafeMutableRawBufferPointer, size: PixelSize, isCMYK: Bool
  ) throws(CoverError) {
    // TJFLAG_LIMITSCANS: a file of a few kB can contain thousands of scans, each as expensive as
    // the picture.
    let format = isCMYK ? TJPF_CMYK : TJPF_RGBA
    let status = tjDecompress2(
      handle, bytes, UInt(bytes.count), output.baseAddress, Int32(size.width), 0,
      Int32(size.height), format.rawValue, TJFLAG_LIMITSCANS)
    guard status == 0 || isHarmlessWarning(bytes) else { throw failure }
  }

  /// Returns whether the failure is libturbojpeg's warning of stray bytes after a scan.
  ///
  /// Some cameras write such files; see ``JPEGLayout`` for other harmless deviations. Every other
  /// warning ("premature end", "bad Huffman code") means that a part of the picture is grey.
  /// libturbojpeg reports only the first warning, so a file that is also truncated is detected by
  /// its missing end.
  func isHarmlessWarning(_ bytes: [UInt8]) -> Bool {
    tjGetErrorCode(handle) == TJERR_WARNING.rawValue
      && String(cString: tjGetErrorStr2(handle)).contains("extraneous bytes")
      && bytes.withUnsafeBufferPointer { JPEGMarkers.hasEnd($0) }
  }
}
