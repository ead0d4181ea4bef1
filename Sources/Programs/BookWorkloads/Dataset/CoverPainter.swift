internal import CoverCache

/// Paints covers: a soft background, hard shapes and lettering.
struct CoverPainter {
  private let canvas: CoverCanvas
  private let design: CoverDesign

  /// Paints a cover that fills the canvas.
  static func paint(_ design: CoverDesign, on canvas: CoverCanvas, _ random: inout SplitMix64) {
    CoverGround(design, width: canvas.size.width, height: canvas.size.height, &random)
      .paint(on: canvas)
    let painter = CoverPainter(canvas: canvas, design: design)
    painter.paintShapes(&random)
    painter.paintLettering(&random)
  }

  private var width: Int { canvas.size.width }
  private var height: Int { canvas.size.height }

  // MARK: - Shapes

  private func paintShapes(_ random: inout SplitMix64) {
    let accent = CoverCanvas.pixel(design.accent)
    let ink = CoverCanvas.pixel(design.ink)
    switch design.layout {
    case .fullPhoto:
      canvas.fill(x: 0, y: height - height / 40, width: width, height: height / 40, with: accent)
    case .window:
      paintFrame(
        x: width * 12 / 100, y: height * 34 / 100, width: width * 76 / 100,
        height: height * 46 / 100, thickness: max(1, width / 100), with: ink)
    case .graphic:
      for _ in 0..<random.of(2...5) {
        let stripe = random.of(1...max(1, height / 12))
        let y = height / 3 + random.below(max(1, height / 2))
        canvas.fill(x: random.below(width / 2), y: y, width: width, height: stripe, with: accent)
      }
      canvas.fillDisc(
        centreX: random.below(width), centreY: height * random.of(45...75) / 100,
        radius: width * random.of(10...30) / 100, with: ink)
    }
  }

  private func paintFrame(
    x: Int, y: Int, width: Int, height: Int, thickness: Int, with pixel: UInt32
  ) {
    canvas.fill(x: x, y: y, width: width, height: thickness, with: pixel)
    canvas.fill(x: x, y: y + height - thickness, width: width, height: thickness, with: pixel)
    canvas.fill(x: x, y: y, width: thickness, height: height, with: pixel)
    canvas.fill(x: x + width - thickness, y: y, width: thickness, height: height, with: pixel)
  }

  // MARK: - Lettering

  private func paintLettering(_ random: inout SplitMix64) {
    let ink = CoverCanvas.pixel(design.ink)
    let title = height / random.of(11...15)
    var y = height / 14
    for _ in 0..<random.of(1...3) {
      paintLine(y: y, glyphHeight: title, share: random.of(50...85), with: ink, &random)
      y += title * 3 / 2
    }
    let author = height / 26
    paintLine(
      y: height - author * 3, glyphHeight: author, share: random.of(35...60), with: ink, &random)
    guard random.below(100) < 40 else { return }
    for line in 0..<random.of(1...2) {
      let small = max(2, height / 60)
      paintLine(
        y: height * 82 / 100 + line * small * 2, glyphHeight: small, share: 70, with: ink, &random)
    }
  }

  /// Paints a centred line of letter-like strokes, whose width is a percentage of the cover.
  private func paintLine(
    y: Int, glyphHeight: Int, share: Int, with pixel: UInt32, _ random: inout SplitMix64
  ) {
    let stroke = max(1, glyphHeight / 6)
    let end = width * (100 + share) / 200
    var x = width * (100 - share) / 200
    while true {
      let glyphWidth = max(2, glyphHeight * random.of(35...75) / 100)
      guard x + glyphWidth <= end else { return }
      let strokes = random.below(100) < 16 ? 0 : Int(random.next() & 0x1F) | 1
      paintGlyph(
        strokes, x: x, y: y, width: glyphWidth, height: glyphHeight, stroke: stroke, with: pixel)
      x += glyphWidth + stroke
    }
  }

  /// Paints the strokes whose bits are set, of two stems and three bars; zero paints a space.
  private func paintGlyph(
    _ strokes: Int, x: Int, y: Int, width: Int, height: Int, stroke: Int, with pixel: UInt32
  ) {
    let boxes = [
      (x, y, stroke, height),
      (x + width - stroke, y, stroke, height),
      (x, y, width, stroke),
      (x, y + (height - stroke) / 2, width, stroke),
      (x, y + height - stroke, width, stroke),
    ]
    for (bit, box) in boxes.enumerated() where strokes >> bit & 1 == 1 {
      canvas.fill(x: box.0, y: box.1, width: box.2, height: box.3, with: pixel)
    }
  }
}
