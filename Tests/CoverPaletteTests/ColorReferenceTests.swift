import CoverCache
import CoverPalette
import PerfTestSupport
import Testing

@Suite struct `a reference of all pixels` {
  private func noise(_ seed: UInt64) throws -> PixelBuffer {
    var random = SampleRandom(seed: seed)
    return try stripes(
      (0..<400).map { _ in
        let values = (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
        return (columns: 1, colour: RGBA(red: values[0], green: values[1], blue: values[2]))
      })
  }

  @Test(arguments: ColorCounting.allCases)
  func `a reference has the peaks of the pixels in every histogram`(
    counting: ColorCounting
  ) throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      let picture = try noise(seed)
      let reference = ColorReference(of: picture)
      #expect(reference.pixelCount == 40_000)
      #expect(counting.peaks(of: reference) == counting.peaks(of: picture))
    }
  }

  @Test func `the distance to the nearest colour is the mean over pixels`() throws {
    // A quarter of the pixels is white, which is 1 away from black; the others are black.
    let reference = ColorReference(of: try stripes([(25, white), (75, black)]))
    #expect(abs(reference.distance(toNearestOf: [black]) - 0.25) < 1e-6)
    #expect(reference.distance(toNearestOf: [black, white]) < 1e-9)
    #expect(reference.distance(toNearestOf: []) == 0)
    #expect(reference.share(within: 0.5, of: white) == 0.25)
    #expect(reference.share(within: 1.1, of: white) == 1)
  }
}
