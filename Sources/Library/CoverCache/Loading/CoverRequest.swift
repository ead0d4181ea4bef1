internal import Synchronization

/// Which of its two forms a cover is wanted in.
public enum CoverKind: String, CaseIterable, Hashable, Sendable {
  /// The small form, for grids.
  case thumbnail
  /// The large form, for a page about the book.
  case image
}

/// How urgent a load is.
public enum LoadPriority: Int, CaseIterable, Comparable, Sendable {
  /// May be seen soon.
  case prefetch
  /// Is seen now, as a placeholder.
  case visible

  /// Orders by urgency.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A cover that was asked for: look at ``result`` each frame, or cancel it.
public final class CoverRequest: Sendable {
  /// The name of the cover.
  public let key: String
  /// The form that was asked for.
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

  /// What came of it; nil while the cover is on its way.
  public var result: Result<PixelBuffer, CoverError>? { outcome.withLock { $0 } }

  /// Withdraws the request.
  ///
  /// A load that nobody waits for any more is not started, or ends before it decodes. A request that
  /// has a result keeps it.
  public func cancel() { queue.cancel([self]) }

  /// What makes the cover.
  var load: CoverLoad { CoverLoad(key: key, kind: kind) }

  /// Gives the request the result of having been withdrawn.
  func finishCancelled() { finish(.failure(.cancelled(cover: key))) }

  /// Gives the request its result; a second one is ignored.
  func finish(_ result: Result<PixelBuffer, CoverError>) {
    let isFirst = outcome.withLock { outcome in
      guard outcome == nil else { return false }
      outcome = result
      return true
    }
    if isFirst { completion?(result) }
  }
}
