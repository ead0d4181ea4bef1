internal import Synchronization

/// One of the two forms of a cover.
public enum CoverKind: String, CaseIterable, Hashable, Sendable {
  /// The small form, for grids.
  case thumbnail
  /// The large form, for the page of a book.
  case image
}

/// The urgency of a load.
public enum LoadPriority: CaseIterable, Comparable, Sendable {
  /// The cover may be visible soon.
  case prefetch
  /// The cover is visible now, as a placeholder.
  case visible
}

/// A request for a cover; check ``result`` each frame, or cancel it.
public final class CoverRequest: Sendable {
  /// The cover's name.
  public let key: String
  /// The requested form.
  public let kind: CoverKind
  /// Whether the request wants a decoded cover; a prefetch may only want the encoded one.
  let wantsPicture: Bool
  private let queue: LoadQueue
  private let end = Mutex<Result<LoadedCover, CoverError>?>(nil)
  private let completion: (@Sendable (Result<PixelBuffer, CoverError>) -> Void)?

  init(
    key: String, kind: CoverKind, wantsPicture: Bool = true, queue: LoadQueue,
    completion: (@Sendable (Result<PixelBuffer, CoverError>) -> Void)? = nil
  ) {
    self.key = key
    self.kind = kind
    self.wantsPicture = wantsPicture
    self.queue = queue
    self.completion = completion
  }

  /// The result; nil while the cover is loading.
  public var result: Result<PixelBuffer, CoverError>? { outcome.flatMap(Self.result) }

  /// The result with the product of a prefetch; nil while the cover is loading.
  var outcome: Result<LoadedCover, CoverError>? { end.withLock { $0 } }

  /// Cancels the request.
  ///
  /// A load without further requests does not start, or ends before it decodes. A finished request
  /// keeps its result.
  public func cancel() { queue.cancel([self]) }

  var load: CoverLoad { CoverLoad(key: key, kind: kind) }

  func finishCancelled() { finish(.failure(.cancelled(cover: key))) }

  /// Sets the outcome; a second outcome is ignored.
  func finish(_ outcome: Result<LoadedCover, CoverError>) {
    let isFirst = end.withLock { end in
      guard end == nil else { return false }
      end = outcome
      return true
    }
    if isFirst, let result = Self.result(of: outcome) { completion?(result) }
  }

  private static func result(
    of outcome: Result<LoadedCover, CoverError>
  ) -> Result<PixelBuffer, CoverError>? {
    switch outcome {
    case .success(.picture(let cover)): .success(cover)
    case .success(.encoded): nil
    case .failure(let error): .failure(error)
    }
  }
}
