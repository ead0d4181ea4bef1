internal import CoverCache
internal import CoverPalette
internal import Dispatch
internal import PerfWorkload
internal import Synchronization

/// A request for the colours of a cover, which a background queue handles in order.
final class PaletteRequest: Sendable {
  private static let queue = DispatchQueue(label: "palettes")

  private let palette = Mutex<Palette?>(nil)
  private let isCancelled = Atomic(false)

  /// Requests the colours of a cover.
  init(_ cover: PixelBuffer, by extractor: PaletteExtractor) {
    Self.queue.async { [self] in
      guard !isCancelled.load(ordering: .relaxed) else { return }
      let result = Phase.palette.measure { extractor.palette(of: cover) }
      palette.withLock { $0 = result }
    }
  }

  /// The colours; nil until they are known.
  var result: Palette? { palette.withLock(\.self) }

  /// Cancels the request unless it is already being handled.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }
}
