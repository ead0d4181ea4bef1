/// The means of a picture's blocks of 8x8 pixels, in the planes of the JPEG file.
struct JPEGMosaic {
  let frame: JPEGFrame
  /// One or three planes, in the order of the frame's components.
  let planes: [JPEGPlane]
  /// Whether three planes are RGB; otherwise they are YCbCr.
  let isRGB: Bool

  /// Returns a picture with one pixel per block; subsampled colours are repeated.
  ///
  /// - Throws: ``CoverError/outOfMemory(bytes:)``.
  func picture(_ conversion: ColorConversion?) throws(CoverError) -> PixelBuffer {
    let size = PixelSize(width: (frame.size.width + 7) / 8, height: (frame.size.height + 7) / 8)
    return try PixelBuffer(size: size) { output in
      let pixels = output.bindMemory(to: RGBA.self)
      var lines = planes.map { _ in [UInt8](repeating: 0, count: size.width) }
      for y in 0..<size.height {
        for index in planes.indices { fill(&lines[index], at: y, from: index) }
        let row = UnsafeMutableBufferPointer(
          rebasing: pixels[y * size.width..<(y + 1) * size.width])
        switch (planes.count, isRGB) {
        case (1, _): Self.write(lines[0], lines[0], lines[0], to: row)
        case (_, true): Self.write(lines[0], lines[1], lines[2], to: row)
        case (_, false): Self.convert(lines[0], lines[1], lines[2], to: row)
        }
      }
      conversion?.apply(to: pixels)
    }
  }

  /// Copies a row of a plane and repeats each value for every block of the picture that it covers.
  private func fill(_ line: inout [UInt8], at y: Int, from index: Int) {
    let plane = planes[index]
    let factor = frame.components[index].factor
    let largest = frame.largestFactor
    let row = plane.samples + y * factor.height / largest.height * plane.width
    switch (factor.width, largest.width) {
    case (1, 2), (2, 4): for x in line.indices { line[x] = row[x >> 1] }
    case (1, 1), (2, 2), (3, 3), (4, 4): for x in line.indices { line[x] = row[x] }
    default: for x in line.indices { line[x] = row[x * factor.width / largest.width] }
    }
  }

  private static func write(
    _ red: [UInt8], _ green: [UInt8], _ blue: [UInt8], to row: UnsafeMutableBufferPointer<RGBA>
  ) {
    for x in row.indices { row[x] = RGBA(red: red[x], green: green[x], blue: blue[x]) }
  }

  private static func convert(
    _ luma: [UInt8], _ blueness: [UInt8], _ redness: [UInt8],
    to row: UnsafeMutableBufferPointer<RGBA>
  ) {
    for x in row.indices {
      row[x] = RGBA(luma: luma[x], blueness: blueness[x], redness: redness[x])
    }
  }
}
