internal import CoverCache

/// Paints the slide rule into a framebuffer, as the bodies of the views do.
final class SlideRulePainter {
  private let framebuffer: Framebuffer
  private let rowHeight: Int
  private static let ivory = RGBA(red: 250, green: 246, blue: 232)
  private static let slide = RGBA(red: 240, green: 236, blue: 214)
  private static let ink = RGBA(red: 20, green: 20, blue: 24)
  private static let red = RGBA(red: 200, green: 30, blue: 30)
  private var hairline = 0

  init(size: PixelSize) {
    framebuffer = Framebuffer(size: size)
    // The rows are a picker, seven scales per side and a line of readings, with gaps.
    rowHeight = max(1, size.height / 20)
  }

  /// Paints the three parts of a side; side 0, the front, is above the back.
  func paint(_ parts: [SlideRule.Part], side: Int) {
    var row = 2 + side * 9
    for (index, part) in parts.enumerated() {
      let ground = index == 1 ? Self.slide : Self.ivory
      for scale in part.scales {
        let frame = ScreenRect(
          x: 0, y: row * rowHeight, width: framebuffer.size.width, height: rowHeight)
        framebuffer.fill(frame, with: ground)
        paint(scale, in: frame)
        row += 1
      }
    }
  }

  /// Paints the readings as digits of a seven-segment display without gaps.
  func paint(_ readings: CursorReadings) {
    let y = rowHeight
    let width = max(1, framebuffer.size.width / 160)
    framebuffer.fill(
      ScreenRect(x: 0, y: y, width: framebuffer.size.width, height: rowHeight), with: Self.ivory)
    var x = width
    for text in readings.texts {
      for byte in text.utf8 {
        paintDigit(Int(byte), at: x, y, width)
        x += width * 3 / 2
      }
      x += width * 2
    }
  }

  /// Paints the menu of rules.
  func paintPicker() {
    framebuffer.fill(
      ScreenRect(x: 0, y: 0, width: framebuffer.size.width, height: rowHeight), from: Self.slide,
      to: Self.ivory)
  }

  /// Moves the hairline, which is a layer above the picture.
  func moveHairline(to place: Double) {
    hairline = Int(place * Double(framebuffer.size.width))
  }

  private func paint(_ scale: SlideRule.Scale, in frame: ScreenRect) {
    for tick in scale.ticks {
      let x = Int(tick.place * Double(frame.width - 2))
      let height = Int(tick.length * Double(rowHeight) * 0.6)
      framebuffer.fill(ScreenRect(x: x, y: frame.y, width: 2, height: height), with: Self.ink)
      if tick.length == 1 {
        paintDigit(x, at: x, frame.y + rowHeight * 2 / 3, max(1, rowHeight / 5))
      }
    }
  }

  /// Paints the seven-segment strokes whose bits are set in a number.
  private func paintDigit(_ number: Int, at x: Int, _ y: Int, _ width: Int) {
    let height = max(2, rowHeight / 3)
    let stroke = max(1, width / 4)
    let boxes = [
      ScreenRect(x: x, y: y, width: width, height: stroke),
      ScreenRect(x: x, y: y + height / 2, width: width, height: stroke),
      ScreenRect(x: x, y: y + height - stroke, width: width, height: stroke),
      ScreenRect(x: x, y: y, width: stroke, height: height),
      ScreenRect(x: x + width - stroke, y: y, width: stroke, height: height),
    ]
    for (bit, box) in boxes.enumerated() where number >> bit & 1 == 1 {
      framebuffer.fill(box, with: Self.red)
    }
  }
}
