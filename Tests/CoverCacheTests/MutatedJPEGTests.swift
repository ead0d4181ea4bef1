import PerfTestSupport
import Testing

@testable import CoverCache

/// JPEG files with seeded changes are decoded, or refused with an error.
struct MutatedJPEGTests {
  @Test func `a changed JPEG file is decoded or refused`() throws {
    // A changed size may be large; decoding megapixels takes seconds.
    let decoder = JPEGDecoder(maximumPixels: 100_000)
    let corpus = JPEGFixture.allCases.map(\.bytes) + [JPEGFixture.full.bytes.adding(exif(6))]
    let box = PixelSize(width: 10, height: 10)
    Mutation.each(of: corpus, count: 1500, seed: 11) { bytes in
      _ = try? decoder.header(of: bytes, cover: "c")
      if let picture = try? decoder.decode(bytes, cover: "c") {
        #expect(picture.size.width * picture.size.height <= 100_000)
      }
      _ = try? decoder.decode(bytes, fitting: box, cover: "c")
      _ = try? decoder.decodeMosaic(bytes, cover: "c")
      _ = try? decoder.decodePlanes(bytes, cover: "c")
    }
  }
}
