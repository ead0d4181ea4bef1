import CoverCache
import PerfTestSupport
import Testing

@Suite struct `an orientation` {
  let decoder = JPEGDecoder()

  /// The corners of the display at which the first stored row begins and ends.
  ///
  /// Source: CIPA DC-008 (Exif), Orientation: "The 0th row is at the visual ... side of the image,
  /// and the 0th column is the visual ... side".
  struct Case: CustomTestStringConvertible {
    let value: Int
    /// Right or bottom is 1.
    let first: (x: Int, y: Int)
    let isVertical: Bool

    var testDescription: String { "\(value)" }

    /// Returns the picture on the display of a stored one.
    func displayed(_ stored: PixelBuffer) throws(CoverError) -> PixelBuffer {
      let (width, height) =
        isVertical ? (stored.height, stored.width) : (stored.width, stored.height)
      return try picture(width, height) { x, y in
        let across = first.x == 0 ? x : width - 1 - x
        let down = first.y == 0 ? y : height - 1 - y
        return isVertical ? stored[down, across] : stored[across, down]
      }
    }
  }

  private static let cases = [
    Case(value: 1, first: (0, 0), isVertical: false),
    Case(value: 2, first: (1, 0), isVertical: false),
    Case(value: 3, first: (1, 1), isVertical: false),
    Case(value: 4, first: (0, 1), isVertical: false),
    Case(value: 5, first: (0, 0), isVertical: true),
    Case(value: 6, first: (1, 0), isVertical: true),
    Case(value: 7, first: (1, 1), isVertical: true),
    Case(value: 8, first: (0, 1), isVertical: true),
  ]

  /// Odd sides, larger than a tile of the turn.
  private func photo() throws -> [UInt8] { try JPEGEncoder().encode(try gradient(61, 43)) }

  @Test(arguments: cases, [false, true])
  func `every decode returns a rotated photo upright`(_ turn: Case, isBigEndian: Bool) throws {
    let plain = try photo()
    let turned = plain.adding(exif(turn.value, isBigEndian: isBigEndian))
    let header = try decoder.header(of: turned, cover: "p")
    #expect(header.orientation.rawValue == UInt8(turn.value))
    let side = PixelSize(width: 20, height: 20)
    let decodes: [([UInt8]) throws -> PixelBuffer] = [
      { try decoder.decode($0, cover: "p") },
      { try decoder.decode($0, fitting: side, cover: "p") },
      { try decoder.decode($0, covering: side, cover: "p") },
      { try decoder.decodeMosaic($0, cover: "p") },
      { try decoder.decodePlanes($0, cover: "p").coarsePicture() },
    ]
    for (index, decode) in decodes.enumerated() {
      let expected = try turn.displayed(try decode(plain))
      let picture = try decode(turned)
      #expect(picture.size == expected.size, "decode \(index)")
      #expect(largestDifference(picture, expected) == 0, "decode \(index)")
    }
    #expect(try decoder.decode(turned, cover: "p").size == header.size)
  }

  @Test func `a box that is not square holds the upright photo`() throws {
    let turned = try JPEGEncoder().encode(try gradient(600, 400)).adding(exif(6))
    let box = PixelSize(width: 100, height: 150)
    #expect(try decoder.decode(turned, fitting: box, cover: "p").size == box)
  }

  @Test(arguments: cases)
  func `an uploaded photo is upright without its tag`(_ turn: Case) throws {
    let plain = try photo()
    let upload = try UploadPreparation().prepare(
      plain.adding(exif(turn.value)), name: "p")
    #expect(try decoder.header(of: upload, cover: "p").orientation == .up)
    let expected = try turn.displayed(try decoder.decode(plain, cover: "p"))
    // Encoded twice with subsampled colours; a wrong turn differs by more than 200.
    #expect(largestDifference(try decoder.decode(upload, cover: "p"), expected) <= 24)
  }

  @Test func `a cache holds a rotated photo upright`() throws {
    let source = GatedSource(["p": try photo().adding(exif(8))], isOpen: true)
    let cache = try CoverCache(source: source)
    #expect(try cache.load("p").size == PixelSize(width: 43, height: 61))
    #expect(cache.metrics(of: .thumbnail).memoryUsage == 43 * 61 * 4)
  }

  @Test(arguments: [1, 4])
  func `an orientation may be a byte or a long`(type: Int) throws {
    let turned = try photo().adding(exif(3, isBigEndian: false, type: type))
    #expect(try decoder.header(of: turned, cover: "p").orientation == .down)
  }

  @Test func `the first valid orientation applies`() throws {
    let first = segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8))
    let turned = try photo().adding(first + exif(9) + exif(6) + exif(3))
    #expect(try decoder.header(of: turned, cover: "p").orientation == .right)
  }

  @Test(arguments: [0, 9, 65_535])
  func `an invalid orientation is ignored`(value: Int) throws {
    let turned = try photo().adding(exif(value))
    #expect(try decoder.header(of: turned, cover: "p").orientation == .up)
  }

  @Test func `damaged Exif data are ignored`() throws {
    let plain = try photo()
    let content = Array(exif(6).dropFirst(4))
    // The value of the only entry ends four bytes before the end, without its two unused bytes.
    for count in content.indices.dropLast(6) {
      let turned = plain.adding(segment(0xE1, Array(content.prefix(count))))
      #expect(try decoder.header(of: turned, cover: "p").orientation == .up, "\(count) bytes")
    }
    var random = SampleRandom(seed: 27)
    for _ in 0..<2_000 {
      var damaged = content
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        damaged[Int.random(in: 6..<content.count, using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      let header = try decoder.header(of: plain.adding(segment(0xE1, damaged)), cover: "p")
      let size = header.orientation.rawValue < 5 ? (61, 43) : (43, 61)
      #expect(header.size == PixelSize(width: size.0, height: size.1))
    }
  }
}
