import CoverCache
import Testing

@Suite struct `upload preparation` {
  private func photo(_ width: Int, _ height: Int) throws -> [UInt8] {
    try JPEGEncoder().encode(
      try PixelBuffer(size: PixelSize(width: width, height: height)) { _ in })
  }

  // 1,920 is the case study's limit.
  @Test(arguments: [
    (2_400, 1_200, 1_920, 960), (600, 3_840, 300, 1_920), (1_920, 80, 1_920, 80), (5, 3, 5, 3),
  ])
  func `a prepared photo keeps its shape and has no side over the limit`(
    width: Int, height: Int, newWidth: Int, newHeight: Int
  ) throws {
    let prepared = try UploadPreparation().prepare(try photo(width, height), name: "p")
    let size = try JPEGDecoder().header(of: prepared, cover: "p").size
    #expect(size == PixelSize(width: newWidth, height: newHeight))
  }

  @Test func `upload preparation applies another limit`() throws {
    var preparation = UploadPreparation()
    preparation.longestSide = 10
    let size = try JPEGDecoder()
      .header(of: try preparation.prepare(try photo(20, 40), name: "p"), cover: "p").size
    #expect(size == PixelSize(width: 5, height: 10))
  }

  @Test func `a file that is no photo throws an error with its name`() {
    let error = #expect(throws: CoverError.self) {
      try UploadPreparation().prepare([0], name: "shelf.jpg")
    }
    #expect(error?.description.contains("shelf.jpg") == true)
  }
}
