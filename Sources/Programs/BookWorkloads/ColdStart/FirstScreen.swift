internal import CoverCache
internal import CoverPalette
internal import Dispatch
internal import LibraryStore
internal import PerfWorkload

/// The first screen of books.
struct FirstScreen {
  private let books: [BookRow]
  private let visible: Range<Int>
  private let dataset: BookDataset
  private let context: MeasurementContext
  private let painter: ShelfPainter

  var framebuffer: Framebuffer { painter.framebuffer }

  init(
    books: [BookRow], layout: ShelfLayout, dataset: BookDataset, context: MeasurementContext
  ) {
    self.books = books
    visible = layout.visible(at: 0)
    self.dataset = dataset
    self.context = context
    painter = ShelfPainter(framebuffer: Framebuffer(size: layout.screen), layout: layout)
  }

  /// Decodes every cover in full size and counts its pixels on this thread, before anything is
  /// drawn.
  func showEagerly() throws {
    let cache = try CoverCache(source: dataset.covers, configuration: .naive)
    let extractor = PaletteExtractor(method: .everyPixel)
    var cells: [Int: ShelfPainter.Cell] = [:]
    for index in visible {
      guard let name = books[index].cover else { continue }
      do throws(CoverError) {
        let cover = try Phase.decode.measure { () throws(CoverError) in try cache.load(name) }
        let palette = Phase.palette.measure { extractor.palette(of: cover) }
        cells[index] = ShelfPainter.Cell(cover: cover, palette: palette)
      } catch {
        warn(of: error)
      }
    }
    Phase.composite.measure { painter.paint(books) { cells[$0] ?? ShelfPainter.Cell() } }
    Startup.initialDisplay()
    Startup.fullDisplay()
  }

  /// Draws the list with placeholders, and each cover after the loader threads have loaded it.
  func showPlaceholdersFirst(disk: Bool) throws {
    Phase.composite.measure { painter.paint(books) { _ in ShelfPainter.Cell() } }
    Startup.initialDisplay()

    let cache = try ColdStartTiers.covers(of: dataset, disk: disk)
    let palettes = try ColdStartTiers.palettes(of: dataset, disk: disk)
    let arrival = DispatchSemaphore(value: 0)
    var waiting = visible.compactMap { index in
      books[index].cover.map { name in
        (index: index, request: cache.request(name) { _ in arrival.signal() })
      }
    }
    while !waiting.isEmpty {
      arrival.wait()
      let start = waiting.partition { $0.request.result != nil }
      for (index, request) in waiting[start...] { show(request, at: index, palettes) }
      waiting.removeSubrange(start...)
    }
    Startup.fullDisplay()
  }

  private func show(_ request: CoverRequest, at index: Int, _ palettes: PaletteCache) {
    do throws(CoverError) {
      guard let cover = try request.result?.get() else { return }
      let palette = try Phase.palette.measure { () throws(CoverError) in
        try palettes.palette(for: request.key) { cover }
      }
      Phase.composite.measure {
        painter.paint(
          ShelfPainter.Cell(cover: cover, palette: palette), of: books[index], at: index)
      }
    } catch {
      warn(of: error)
    }
  }

  private func warn(of error: CoverError) {
    context.warn(
      code: "cover.failed", message: error.description,
      remedy: "Replace the cover; its placeholder stays on the screen.")
  }
}

extension ShelfPainter.Cell {
  /// Creates a cell with a cover and the gradient of its colours.
  init(cover: PixelBuffer, palette: Palette) {
    self.init(cover: cover, gradient: (palette.background, palette.primary))
  }
}
