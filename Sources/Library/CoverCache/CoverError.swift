/// An error while loading, decoding or storing a cover.
public enum CoverError: Error, Equatable, CustomStringConvertible {
  /// The source has no cover with that name.
  case notFound(cover: String)
  /// The source could not be reached or broke off the transfer; a retry may succeed.
  case unreachable(cover: String)
  /// The source asks for a pause, e.g. a server that answers 429 or 503.
  case overloaded(cover: String, retryAfter: Duration?)
  /// An existing file cannot be read; `code` is an errno value.
  case unreadable(path: String, code: Int32)
  /// The bytes do not begin as a JPEG.
  case notJPEG(cover: String, reason: String)
  /// The bytes begin as a JPEG but are truncated or inconsistent.
  case damaged(cover: String, reason: String)
  /// The picture has more pixels than the decoder accepts.
  ///
  /// No memory was allocated for it.
  case tooLarge(cover: String, size: PixelSize, limit: Int)
  /// The file is a JPEG of a kind that the decoder does not support.
  case unsupported(cover: String, reason: String)
  /// The system refused memory for pixels.
  case outOfMemory(bytes: Int)
  /// A requested size is empty or larger than the original picture.
  case invalidSize(PixelSize)
  /// libjpeg-turbo could not encode a picture.
  case notEncoded(reason: String)
  /// The folder of a disk cache cannot be used; `code` is an errno value.
  case unusableDirectory(path: String, code: Int32)
  /// A disk cache could not write an object; `code` is an errno value.
  case notStored(path: String, code: Int32)
  /// No loader thread could be started; `code` is an errno value.
  case noThread(code: Int32)
  /// The request was cancelled before its cover was loaded.
  case cancelled(cover: String)

  /// A message with the failure, the cover, the reason and a remedy.
  public var description: String {
    switch self {
    case .notFound(let cover):
      "no cover '\(cover)'. Check its name and the folder of the covers."
    case .unreachable(let cover):
      "the source of cover '\(cover)' cannot be reached. Check the connection and try again."
    case .overloaded(let cover, let time):
      "the source of cover '\(cover)' is overloaded. Try again in \(time ?? .seconds(1))."
    case .unreadable(let path, let code):
      "cannot read '\(path)': \(systemMessage(code)). Check that the file is readable."
    case .notJPEG(let cover, let reason):
      "cover '\(cover)' is no JPEG: \(reason). Replace it with a JPEG file."
    case .damaged(let cover, let reason):
      "cover '\(cover)' is damaged: \(reason). Fetch it again."
    case .tooLarge(let cover, let size, let limit):
      "cover '\(cover)' is \(size) pixels, over the limit of \(limit). Scale it down."
    case .unsupported(let cover, let reason):
      "cover '\(cover)' cannot be decoded: \(reason). Save it as a baseline JPEG in RGB or grey."
    case .outOfMemory(let bytes):
      "no memory for \(bytes) bytes of pixels. Lower the limits of the cache."
    case .invalidSize(let size):
      "a picture cannot be made \(size) pixels. Ask for at least 1x1, and no more than it has."
    case .notEncoded(let reason):
      "a picture cannot be encoded as JPEG: \(reason)."
    case .unusableDirectory(let path, let code):
      "cannot use '\(path)' as a cache folder: \(systemMessage(code)). Name a writable folder."
    case .notStored(let path, let code):
      "cannot write '\(path)': \(systemMessage(code)). Check the disk's space and permissions."
    case .noThread(let code):
      "cannot start a loader thread: \(systemMessage(code)). Allow the process more threads."
    case .cancelled(let cover):
      "the request for cover '\(cover)' was cancelled."
    }
  }
}
