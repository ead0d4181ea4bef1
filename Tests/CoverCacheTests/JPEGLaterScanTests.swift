import PerfTestSupport
import Testing

@testable import CoverCache

@Suite struct `the later scans of a progressive JPEG` {
  /// Noise has long codes and many corrections; plain parts have runs of empty blocks.
  private func photo(width: Int, quality: Int) throws -> [UInt8] {
    var random = SampleRandom(seed: UInt64(width + quality))
    let noise = try picture(width, 72) { x, y in
      let grain = x / 64 == 1 ? 0 : Int.random(in: -40...40, using: &random)
      return RGBA(red: UInt8(120 + grain), green: UInt8(60 + y), blue: UInt8(200 + grain))
    }
    return try JPEGEncoder(quality: quality, isProgressive: true).encode(noise)
  }

  /// Returns the positions of the data of all scans.
  private func scans(of bytes: [UInt8]) -> [Range<Int>] {
    bytes.withUnsafeBufferPointer { bytes in
      var markers = JPEGMarkers(bytes)
      var scans: [Range<Int>] = []
      while let marker = markers.next(), marker != 0xD9 {
        guard marker != 0xD8 else { continue }
        _ = markers.segment()
        guard marker == 0xDA else { continue }
        let start = markers.position
        markers.skipData()
        scans.append(start..<markers.position)
      }
      return scans
    }
  }

  private func hasMosaic(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      var reader = JPEGMosaicReader(bytes)
      return reader.read() != nil
    }
  }

  @Test(arguments: [1, 61, 640], [1, 50, 80, 100])
  func `the reader of mosaics reads them to the end`(width: Int, quality: Int) throws {
    #expect(hasMosaic(try photo(width: width, quality: quality)))
  }

  @Test(arguments: [JPEGFixture.progressive, .meansApart])
  func `scans in any order are read`(fixture: JPEGFixture) {
    #expect(hasMosaic(fixture.bytes))
  }

  @Test(arguments: [50, 80, 100])
  func `a file with a cut scan has neither picture nor mosaic`(quality: Int) throws {
    let bytes = try photo(width: 640, quality: quality)
    let scans = scans(of: bytes)
    // libjpeg's script for three components has ten scans.
    #expect(scans.count == 10)
    let decoder = JPEGDecoder()
    for scan in scans where scan.count >= 20 {
      let cut = Array(bytes[..<(scan.lowerBound + scan.count / 2)] + bytes[scan.upperBound...])
      #expect(throws: CoverError.self, "\(scan)") { try decoder.decode(cut, cover: "p") }
      #expect(throws: CoverError.self, "\(scan)") { try decoder.decodeMosaic(cut, cover: "p") }
    }
  }

  @Test(arguments: [50, 90])
  func `a file with a damaged scan has a mosaic only if it has a picture`(quality: Int) throws {
    let bytes = try photo(width: 160, quality: quality)
    let data = scans(of: bytes)
    let decoder = JPEGDecoder()
    var random = SampleRandom(seed: 82)
    var refusedCount = 0
    for _ in 0..<600 {
      var damaged = bytes
      let scan = data[Int.random(in: 0..<data.count, using: &random)]
      guard let place = scan.randomElement(using: &random) else { continue }
      damaged[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      let picture = try? decoder.decode(damaged, cover: "p")
      let mosaic = try? decoder.decodeMosaic(damaged, cover: "p")
      #expect(picture != nil || mosaic == nil, "byte \(place)")
      refusedCount += picture == nil ? 1 : 0
    }
    #expect(refusedCount > 60)
  }
}
