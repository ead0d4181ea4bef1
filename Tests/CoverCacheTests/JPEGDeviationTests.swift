import CoverCache
import Testing

/// Files that other programs show, and files that no decoder of the library can show.
@Suite struct `a JPEG as found` {
  let decoder = JPEGDecoder()

  /// A file that is correct, and the same one with deviations from the standard.
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    var fixture = JPEGFixture.full
    let edit: @Sendable ([UInt8]) -> [UInt8]
  }

  /// An Adobe segment with a transform; libjpeg knows 0 to 2.
  private static func adobe(_ transform: UInt8) -> [UInt8] {
    segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
  }

  /// Stray bytes before a marker, also such that look like one with data or padding.
  private static func stray(_ marker: UInt8, _ bytes: [UInt8]) -> @Sendable ([UInt8]) -> [UInt8] {
    { file in
      let position = file.position(of: marker) ?? 2
      return Array(file[..<position] + bytes + file[position...])
    }
  }

  /// The last table of the file follows the data of the second scan.
  private static func strayAfterScan(_ file: [UInt8]) -> [UInt8] {
    let table = file.indices.dropLast().last { file[$0] == 0xFF && file[$0 + 1] == 0xC4 } ?? 2
    return Array(file[..<table] + [0, 0, 0] + file[table...] + [1, 2])
  }

  private static func scan(_ parameters: [UInt8], components: Int) -> @Sendable ([UInt8]) -> [UInt8]
  {
    { $0.replacing(0xDA, at: 5 + 2 * components, with: parameters) }
  }

  private static let harmless = [
    Case(testDescription: "JFIF 2.01") { $0.replacing(0xE0, at: 9, with: [2, 1]) },
    Case(testDescription: "JFIF 0.0") { $0.replacing(0xE0, at: 9, with: [0, 0]) },
    Case(testDescription: "Adobe transform 5") { $0.removing(0xE0).adding(adobe(5)) },
    Case(testDescription: "Adobe transform 2 of YCbCr") { $0.removing(0xE0).adding(adobe(2)) },
    Case(testDescription: "transform 5 of YCCK", fixture: .ycck) {
      $0.removing(0xEE).adding(adobe(5))
    },
    Case(testDescription: "scan of 0 to 0", edit: scan([0, 0, 0], components: 3)),
    Case(testDescription: "scan of 0 to 255", edit: scan([0, 255, 0x11], components: 3)),
    Case(
      testDescription: "scan of 0 to 0 with arithmetic codes", fixture: .arithmetic,
      edit: scan([0, 0, 0], components: 3)),
    Case(
      testDescription: "scan of 0 to 0 of one component", fixture: .scansApart,
      edit: scan([0, 0, 0], components: 1)),
    Case(
      testDescription: "scan of 0 to 0 of CMYK", fixture: .cmyk,
      edit: scan([0, 0, 0], components: 4)),
    Case(testDescription: "stray bytes before tables", edit: stray(0xC4, [0, 1, 2, 3])),
    Case(testDescription: "stray bytes before the frame", edit: stray(0xC0, [7, 0xFF, 0xFF])),
    Case(testDescription: "stray FF 00", edit: stray(0xDA, [0xFF, 0, 1])),
    Case(testDescription: "stray bytes after the first marker", edit: stray(0xE0, [0x0A])),
    Case(testDescription: "padding", edit: stray(0xDB, [0xFF, 0xFF, 0xFF])),
    Case(
      testDescription: "stray bytes in a progressive file", fixture: .progressive,
      edit: stray(0xC4, [0, 0])),
    Case(testDescription: "all together") {
      let parts = [
        scan([0, 0, 0], components: 3), { $0.replacing(0xE0, at: 9, with: [2, 1]) },
        stray(0xDA, [1, 2, 3]), stray(0xC0, [1]), { $0.adding(adobe(9)) },
      ]
      return parts.reduce($0) { $1($0) }
    },
    Case(testDescription: "bytes after the end") { $0 + [0, 1, 2, 0xFF, 0xD8, 0xFF] },
    Case(testDescription: "stray bytes before the end and bytes after it") {
      $0.dropLast(2) + [0, 0, 0xFF, 0xD9, 1, 2]
    },
    Case(
      testDescription: "stray bytes after a scan and bytes after the end", fixture: .scansApart,
      edit: strayAfterScan),
  ]

  @Test(arguments: harmless)
  func `a harmless deviation does not change a picture`(_ found: Case) throws {
    let plain = found.fixture.bytes
    let bytes = found.edit(plain)
    #expect(bytes != plain)
    let box = PixelSize(width: 10, height: 10)
    #expect(
      try decoder.header(of: bytes, cover: "f") == (try decoder.header(of: plain, cover: "f")))
    let decodes: [([UInt8]) throws -> PixelBuffer] = [
      { try decoder.decode($0, cover: "f") },
      { try decoder.decode($0, fitting: box, cover: "f") },
      { try decoder.decodeMosaic($0, cover: "f") },
    ]
    for decode in decodes {
      #expect(largestDifference(try decode(bytes), try decode(plain)) == 0)
    }
    guard ![.cmyk, .ycck].contains(found.fixture) else { return }
    let planes = try decoder.decodePlanes(bytes, cover: "f")
    #expect(planes == (try decoder.decodePlanes(plain, cover: "f")))
  }

  @Test(arguments: harmless.filter { $0.fixture == .full })
  func `a truncated picture is damaged although its header deviates`(_ found: Case) throws {
    let plain = found.fixture.bytes
    let bytes = found.edit(plain.dropLast(60) + [0xFF, 0xD9])
    #expect(throws: CoverError.self) { try decoder.decode(bytes, cover: "f") }
    #expect(throws: CoverError.self) { try decoder.decodeMosaic(bytes, cover: "f") }
  }

  // MARK: - Unusual kinds

  @Test(arguments: [0x41, 0x42, 0x12, 0x44] as [UInt8])
  func `a grey file may have any sampling factors`(factors: UInt8) throws {
    // Marker, length, precision, height, width, count, identifier, factors. A scan of one
    // component ignores its factors.
    let bytes = JPEGFixture.grey.bytes.replacing(0xC0, at: 11, with: [factors])
    let plain = try decoder.decode(JPEGFixture.grey.bytes, cover: "f")
    #expect(largestDifference(try decoder.decode(bytes, cover: "f"), plain) == 0)
  }

  @Test func `unusual sampling factors of the usual ratio are decoded`() throws {
    // 4x4 to 2x2 is the ratio of 2x2 to 1x1, but not a subsampling that libturbojpeg names.
    let plain = JPEGFixture.scansApart.bytes
    let bytes = plain.replacing(0xC0, at: 11, with: [0x44])
      .replacing(0xC0, at: 14, with: [0x22]).replacing(0xC0, at: 17, with: [0x22])
    #expect(
      largestDifference(
        try decoder.decode(bytes, cover: "f"), try decoder.decode(plain, cover: "f")) == 0)
    #expect(
      largestDifference(
        try decoder.decodeMosaic(bytes, cover: "f"), try decoder.decodeMosaic(plain, cover: "f"))
        == 0)
    #expect(throws: CoverError.self) { try decoder.decodePlanes(bytes, cover: "f") }
  }

  @Test(arguments: [JPEGFixture.cmyk, .ycck])
  func `CMYK is converted to RGB`(fixture: JPEGFixture) throws {
    let decoded = try decoder.decode(fixture.bytes, cover: "f")
    // The fixture's colours; quality 80 in 4:2:0 changes colours at the border of column 12.
    for x in [2, 5, 8, 16, 20] {
      for y in [2, 12, 21] {
        let colour = RGBA(red: UInt8(10 * x), green: UInt8(10 * y), blue: x < 12 ? 40 : 220)
        #expect(decoded[x, y].distance(to: colour) <= 20, "\(x), \(y): \(decoded[x, y])")
      }
    }
    #expect(decoded[0, 0].alpha == 255)
    let mosaic = try decoder.decodeMosaic(fixture.bytes, cover: "f")
    #expect(mosaic.size == PixelSize(width: 3, height: 3))
    let scaled = try decoded.scaledDown(to: mosaic.size)
    #expect(largestDifference(mosaic, scaled) <= 20)
  }

  @Test func `a CMYK file without an Adobe segment is taken for inverted`() throws {
    let plain = try decoder.decode(JPEGFixture.cmyk.bytes, cover: "f")
    let bytes = JPEGFixture.cmyk.bytes.removing(0xEE)
    #expect(largestDifference(try decoder.decode(bytes, cover: "f"), plain) == 0)
  }

  /// A file and a word of the reason why it is not supported.
  struct Unsupported: CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
  }

  private static let unsupported: [Unsupported] = {
    let plain = JPEGFixture.full.bytes
    func frame(_ marker: UInt8) -> [UInt8] { plain.replacing(0xC0, at: 1, with: [marker]) }
    let two = segment(0xC0, [8, 0, 24, 0, 24, 2, 1, 0x11, 0, 2, 0x11, 0])
    let grey: [UInt8] = [8, 0, 24, 0, 24, 1, 1, 0x11, 0]
    return [
      ("12 bits", plain.replacing(0xC0, at: 4, with: [12])),
      ("12 bits", plain.replacing(0xC0, at: 4, with: [12]).replacing(0xC0, at: 1, with: [0xC1])),
      ("16 bits", plain.replacing(0xC0, at: 4, with: [16])),
      ("lossless", frame(0xC3)), ("lossless", frame(0xCB)), ("hierarchical", frame(0xC5)),
      ("hierarchical", frame(0xC7)), ("hierarchical", frame(0xCD)),
      ("hierarchical", plain.adding(segment(0xDE, grey))),
      ("JPEG-LS", [0xFF, 0xD8] + segment(0xF7, grey)),
      ("2 colour components", plain.removing(0xC0).adding(two)),
      ("DNL", plain.replacing(0xC0, at: 5, with: [0, 0])),
    ].map { Unsupported(testDescription: $0, bytes: $1) }
  }()

  @Test(arguments: unsupported)
  func `a file of an unsupported kind is named and not called damaged`(_ file: Unsupported) {
    let bytes = file.bytes
    let box = PixelSize(width: 10, height: 10)
    let decodes: [() throws -> Void] = [
      { _ = try decoder.header(of: bytes, cover: "f") },
      { _ = try decoder.decode(bytes, cover: "f") },
      { _ = try decoder.decode(bytes, fitting: box, cover: "f") },
      { _ = try decoder.decodeMosaic(bytes, cover: "f") },
      { _ = try decoder.decodePlanes(bytes, cover: "f") },
      { _ = try UploadPreparation().prepare(bytes, name: "f") },
    ]
    for decode in decodes {
      let error = #expect(throws: CoverError.self) { try decode() }
      guard case .unsupported("f", let reason) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(reason.contains(file.testDescription))
      #expect(error?.description.contains("Fetch it again") == false)
    }
  }

  @Test func `colours at two thirds of the resolution are unsupported`() {
    // Factors of 3x1 for luma and 2x1 for chroma.
    let bytes = JPEGFixture.full.bytes.replacing(0xC0, at: 11, with: [0x31])
      .replacing(0xC0, at: 14, with: [0x21]).replacing(0xC0, at: 17, with: [0x21])
    let reason = "Fractional sampling not implemented yet"
    #expect(throws: CoverError.unsupported(cover: "f", reason: reason)) {
      try decoder.decode(bytes, cover: "f")
    }
    #expect(throws: CoverError.unsupported(cover: "f", reason: reason)) {
      try decoder.decodeMosaic(bytes, cover: "f")
    }
  }

  @Test func `an unsupported cover is not fetched again`() throws {
    let bytes = JPEGFixture.full.bytes
    let twelve = bytes.replacing(0xC0, at: 4, with: [12])
    let source = GatedSource(["12-bit": twelve, "half": bytes.dropLast(40)], isOpen: true)
    let cache = try CoverCache(source: source)
    for _ in 0..<3 {
      for kind in CoverKind.allCases {
        #expect(throws: CoverError.self) { try cache.load("12-bit", as: kind) }
        #expect(throws: CoverError.self) { try cache.load("half", as: kind) }
      }
    }
    #expect(source.calls.filter { $0 == "12-bit" }.count == 1)
    // A damaged cover may be whole at the next fetch.
    #expect(source.calls.filter { $0 == "half" }.count == 6)
  }
}
