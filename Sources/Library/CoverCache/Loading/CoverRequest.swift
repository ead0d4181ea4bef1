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
  private let queue: LoadQueue
  private let outcome = Mutex<Result<PixelBuffer, CoverError>?>(nil)
  private let completion: (@Sendable (Result<PixelBuffer, CoverError>) -> Void)?

  init(
    key: String, kind: CoverKind, queue: LoadQueue,
    completion: (@Sendable (Result<PixelBuffer, CoverError>) -> Void)?
  ) {
    self.key = key
    self.kind = kind
    self.queue = queue
    self.completion = completion
  }

  /// The result; nil while the cover is loading.
  public var result: Result<PixelBuffer, CoverError>? { outcome.withLock { $0 } }

  /// Cancels the request.
  ///
  /// A load without further requests does not start, or ends before it decodes. A finished request
  /// keeps its result.
  public func cancel() { queue.cancel([self]) }

  var load: CoverLoad { CoverLoad(key: key, kind: kind) }

  func finishCancelled() { finish(.failure(.cancelled(cover: key))) }

  /// Sets the result; a second result is ignored.
  func finish(_ result: Result<PixelBuffer, CoverError>) {
    let isFirst = outcome.withLock { outcome in
      guard outcome == nil else { return false }
      outcome = result
      return true
    }
    if isFirst { completion?(result) }
  }
}
