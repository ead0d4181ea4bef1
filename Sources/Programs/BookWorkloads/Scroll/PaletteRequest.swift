internal import CoverCache
internal import CoverPalette
internal import Dispatch
internal import PerfWorkload
internal import Synchronization

/// Colours that a thread in the background gets from a cover, after all that were asked for before.
final class PaletteRequest: Sendable {
  private static let queue = DispatchQueue(label: "palettes")

  private let palette = Mutex<Palette?>(nil)
  private let isCancelled = Atomic(false)

  /// Asks for the colours of a cover.
  init(_ cover: PixelBuffer, by extractor: PaletteExtractor) {
    Self.queue.async { [self] in
      guard !isCancelled.load(ordering: .relaxed) else { return }
      let result = Phase.palette.measure { extractor.palette(of: cover) }
      palette.withLock { $0 = result }
    }
  }

  /// The colours, once they are known.
  var result: Palette? { palette.withLock(\.self) }

  /// Withdraws the request, unless it is being worked on.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }
}
