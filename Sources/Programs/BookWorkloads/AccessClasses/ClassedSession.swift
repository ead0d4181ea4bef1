internal import CoverCache
internal import Glibc

/// A session in which the reader flings through the grid, opens photos and sometimes the settings.
struct ClassedSession {
  private static let columns = 4
  private static let visibleRows = 7
  private static let grid = PixelSize(width: 120, height: 120)

  private let rows: Int
  private let photos: Int
  private let page: PixelSize
  private var random: SplitMix64
  private var top = 0
  private var settings = 0
  private var requests: [ClassedRequest] = []

  /// Generates exactly `length` requests; there is at least one photo.
  static func requests(
    photos: Int, length: Int, pageWidth: Int, seed: UInt64
  ) -> [ClassedRequest] {
    var session = ClassedSession(photos: photos, pageWidth: pageWidth, seed: seed)
    session.appear(rows: 0..<visibleRows)
    while session.requests.count < length {
      session.fling()
      session.openPhoto()
    }
    return Array(session.requests.prefix(length))
  }

  private init(photos: Int, pageWidth: Int, seed: UInt64) {
    self.photos = photos
    rows = (photos + Self.columns - 1) / Self.columns
    page = PixelSize(width: pageWidth, height: max(1, pageWidth * 13 / 6))
    random = SplitMix64(seed: seed, stream: 0xACCE55)
  }

  private mutating func appear(rows visible: Range<Int>) {
    for photo in visible.lowerBound * Self.columns..<visible.upperBound * Self.columns
    where photo < photos {
      requests.append(ClassedRequest(use: .grid, photo: photo, size: Self.grid))
    }
  }

  /// Flings by an exponential distance with a mean of ten rows; two of three flings go down.
  private mutating func fling() {
    let lastTop = max(0, rows - Self.visibleRows)
    let distance = 1 + Int(-10 * log(1 - Double(random.fraction())))
    let goal = random.below(3) < 2 ? min(lastTop, top + distance) : max(0, top - distance)
    while top < goal {
      top += 1
      appear(rows: top + Self.visibleRows - 1..<top + Self.visibleRows)
    }
    while top > goal {
      top -= 1
      appear(rows: top..<top + 1)
    }
  }

  /// Opens a visible photo, pages forward and back, and returns to the grid.
  private mutating func openPhoto() {
    let choice = random.below(Self.visibleRows * Self.columns)
    let first = min(photos - 1, top * Self.columns + choice)
    let last = min(photos - 1, first + random.below(4))
    for photo in Array(first...last) + (first..<last).reversed() {
      requests.append(ClassedRequest(use: .page, photo: photo, size: page))
    }
    if random.below(5) == 0 { lookAtSettings() }
    appear(rows: top..<top + Self.visibleRows)
  }

  private mutating func lookAtSettings() {
    for _ in 0..<12 {
      settings += 1
      let side = random.of(60...600)
      requests.append(
        ClassedRequest(
          use: .settings, photo: photos + settings, size: PixelSize(width: side, height: side)))
    }
  }
}
