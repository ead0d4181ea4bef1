internal import CoverCache
internal import CoverPalette
internal import LibraryStore
internal import PerfWorkload

/// A scrolled shelf that draws frame by frame.
struct ScrollingShelf {
  /// A visible cell.
  private struct Cell {
    var content = ShelfPainter.Cell()
    /// The pending load of the cover.
    var request: CoverRequest?
    /// The start of the wait, which only the log needs.
    var since: ContinuousClock.Instant?
    var colours: PaletteRequest?
    var hasPalette = false
  }

  let covers: CoverCache
  /// The largest scroll offset, in points.
  let farthestOffset: Double
  /// The event log of the app, if it has one.
  var log: PerformanceLog?
  private let books: [BookRow]
  private let options: ScrollOptions
  private let layout: ShelfLayout
  private let painter: ShelfPainter
  private let palettes: PaletteCache
  private var prefetcher: CoverPrefetcher
  private var cells: [Int: Cell] = [:]
  private var visible = 0..<0
  private var scroll = ScrollAwareness()
  private var last: (offset: Double, time: Duration) = (0, .zero)
  /// Whether covers may be requested, which a scroll-aware list forbids while it is fast.
  private var mayLoad = true
  private var drawnCount = 0
  private var placeholderCount = 0
  private var colourlessCount = 0

  /// Creates a shelf of books in display order, with an empty folder for the disk tier.
  init(
    books: [BookRow], columns: Int, source: any CoverSource, folder: String,
    options: ScrollOptions
  ) throws(CoverError) {
    self.books = books
    self.options = options
    layout = ShelfLayout(count: books.count, columns: columns)
    farthestOffset = Double(layout.farthestOffset) / ShelfLayout.pixelsPerPoint
    painter = ShelfPainter(framebuffer: Framebuffer(size: layout.screen), layout: layout)
    // There are as many palettes as thumbnails, even if thumbnails are not kept; a palette takes 20 bytes.
    let palettes = PaletteCache(
      extractor: options.extractor, count: max(200, options.cache.thumbnailLimits.count))
    self.palettes = palettes
    let isCounting = options.palettes == .cached
    covers = try CoverCache(
      source: source,
      disk: options.usesDiskTier
        ? try DiskTier(directory: "\(folder)/covers", byteLimit: options.diskByteLimit) : nil,
      configuration: options.cache
    ) { key, kind, cover in
      guard isCounting, kind == .thumbnail else { return }
      Phase.palette.measure { _ = try? palettes.palette(for: key) { cover } }
    }
    prefetcher = CoverPrefetcher(cache: covers)
  }

  /// Draws a frame at a scroll offset in points.
  ///
  /// A scroll-aware list computes its speed from the time in the animation.
  mutating func draw(at offset: Double, isForward: Bool, time: Duration = .zero) {
    let pixels = Int((offset * ShelfLayout.pixelsPerPoint).rounded())
    follow(offset, at: time)
    let now = Phase.layout.measure { place(at: pixels) }
    if now != visible {
      replaceCells(by: now)
      visible = now
      Phase.cache.measure { prefetch(isForward: isForward) }
    }
    Phase.cache.measure { collect() }
    Phase.palette.measure { colour() }
    Phase.composite.measure {
      painter.paint(books, at: pixels) { cells[$0]?.content ?? ShelfPainter.Cell() }
    }
  }

  /// Paints a number in the upper right corner, each digit as a bar.
  func paintBadge(_ number: Int) {
    let rect = ScreenRect(x: layout.screen.width - 90, y: 10, width: 80, height: 28)
    painter.framebuffer.fill(rect, with: RGBA(red: 204, green: 20, blue: 20))
    for place in 0..<"\(number)".count {
      painter.framebuffer.fill(
        ScreenRect(x: rect.x + 8 + place * 14, y: rect.y + 6, width: 10, height: 16),
        with: RGBA(red: 255, green: 255, blue: 255))
    }
  }

  /// Loads the large cover of the book in the middle unless it is in memory, as if its page were
  /// opened.
  mutating func openPage() {
    guard !visible.isEmpty, let key = books[visible.lowerBound + visible.count / 2].cover
    else { return }
    switch options.cache.decoding {
    case .full: break  // The cell's cover has all pixels already.
    case .scaled: if covers.image(for: key) == nil { covers.request(key, as: .image) }
    }
  }

  /// The share of the drawn cells without their cover.
  var placeholderShare: Double {
    drawnCount > 0 ? Double(placeholderCount) / Double(drawnCount) : 0
  }

  /// The share of the drawn cells without the colours of their cover.
  var colourlessShare: Double {
    drawnCount > 0 ? Double(colourlessCount) / Double(drawnCount) : 0
  }

  /// Whether a visible cell waits for its cover.
  var isWaiting: Bool { cells.values.contains { $0.request != nil } }

  /// Returns a copy of the last frame.
  func snapshot() throws(CoverError) -> PixelBuffer { try painter.framebuffer.snapshot() }

  /// Computes the speed of the list, and requests skipped covers after it has become slow.
  private mutating func follow(_ offset: Double, at time: Duration) {
    guard options.isScrollAware else { return }
    let elapsed = Double((time - last.time).nanoseconds) / 1e9
    // Each animation starts at time zero.
    let velocity = elapsed > 0 ? (offset - last.offset) / elapsed : 0
    last = (offset, time)
    let wasHeldBack = !mayLoad
    mayLoad = scroll.update(velocity: velocity, at: time)
    guard mayLoad, wasHeldBack else { return }
    Phase.cache.measure {
      request(visible.filter { cells[$0]?.content.cover == nil && cells[$0]?.request == nil })
    }
  }

  /// Determines the visible cells.
  private func place(at offset: Int) -> Range<Int> {
    switch options.layout {
    case .visibleOnly:
      return layout.visible(at: offset)
    case .everyFrame:
      let rects = books.indices.map { layout.coverRect(of: $0, at: offset) }
      let seen = rects.indices.filter { index in
        let cell = rects[index]
        return cell.y < layout.screen.height && cell.y + ShelfLayout.rowHeight > 0
      }
      return (seen.first ?? 0)..<(seen.last.map { $0 + 1 } ?? 0)
    }
  }

  private mutating func replaceCells(by now: Range<Int>) {
    let left = visible.filter { !now.contains($0) }.compactMap { cells.removeValue(forKey: $0) }
    for cell in left { cell.colours?.cancel() }
    let appearing = now.filter { !visible.contains($0) }
    for index in appearing { cells[index] = Cell() }
    switch options.loading {
    case .mainThread:
      for index in appearing {
        guard let key = books[index].cover else { continue }
        cells[index]?.content.cover = Phase.decode.measure { try? covers.load(key) }
      }
    case .async:
      Phase.cache.measure {
        covers.cancel(left.compactMap(\.request))
        lookUp(appearing)
      }
    }
  }

  /// Takes covers from memory and requests missing ones.
  private mutating func lookUp(_ indices: [Int]) {
    let began = ContinuousClock.now
    var missing: [Int] = []
    for index in indices {
      guard let key = books[index].cover else { continue }
      cells[index]?.content.cover = covers.thumbnail(for: key)
      if cells[index]?.content.cover == nil { missing.append(index) }
    }
    log?.write(
      .cache, "\(indices.count - missing.count) hits, \(missing.count) misses",
      took: ContinuousClock.now - began)
    if mayLoad { request(missing) }
  }

  private mutating func request(_ indices: [Int]) {
    let wanted = indices.filter { books[$0].cover != nil }
    let requests = covers.request(wanted.compactMap { books[$0].cover })
    for (index, request) in zip(wanted, requests) {
      cells[index]?.request = request
      if log != nil { cells[index]?.since = .now }
    }
  }

  /// Prefetches the next covers, nearest first.
  private mutating func prefetch(isForward: Bool) {
    guard options.prefetch > 0, mayLoad else { return }
    let ahead =
      isForward
      ? Array(visible.upperBound..<min(books.count, visible.upperBound + options.prefetch))
      : (max(0, visible.lowerBound - options.prefetch)..<visible.lowerBound).reversed()
    prefetcher.want(ahead.compactMap { books[$0].cover })
  }

  /// Moves loaded covers into their cells.
  private mutating func collect() {
    for index in visible {
      if let result = cells[index]?.request?.result {
        cells[index]?.request = nil
        cells[index]?.content.cover = try? result.get()
        if let log, let since = cells[index]?.since {
          log.write(.loading, "Cover \(index)", took: ContinuousClock.now - since)
        }
      }
      if cells[index]?.content.cover == nil { placeholderCount += 1 }
    }
    drawnCount += visible.count
  }

  /// Adds the colours of their covers to cells.
  private mutating func colour() {
    for index in visible {
      guard let cell = cells[index], !cell.hasPalette else { continue }
      guard let cover = cell.content.cover, let key = books[index].cover,
        let palette = palette(of: cover, key: key, at: index)
      else {
        colourlessCount += 1
        continue
      }
      cells[index]?.hasPalette = true
      cells[index]?.content.gradient = (palette.background, palette.primary)
    }
  }

  private mutating func palette(of cover: PixelBuffer, key: String, at index: Int) -> Palette? {
    switch options.palettes {
    case .uncached: return options.extractor.palette(of: cover)
    case .cached: return palettes.palette(for: key)
    case .background:
      if let request = cells[index]?.colours { return request.result }
      cells[index]?.colours = PaletteRequest(cover, by: options.extractor)
      return nil
    }
  }
}
