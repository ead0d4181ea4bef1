internal import CoverCache

extension PixelBuffer {
  /// The picture averaged to 150 pixels, so that a picture and its thumbnail have the same shades.
  ///
  /// Only the last step has exact fractional weights: it costs more per pixel, and few are left.
  var shades: PixelBuffer {
    let target = size.fitted(into: PixelSize(width: 150, height: 150))
    // Averaging fails only without memory. All pixels then serve as well.
    return (try? blockMeans(of: max(width, height) / 300).scaledDown(to: target)) ?? self
  }

  /// Returns the means of blocks whose sides have a number of pixels, at most 255; some have one
  /// more.
  private func blockMeans(of side: Int) throws(CoverError) -> PixelBuffer {
    guard side > 1 else { return self }
    // A column of 256 pixels of at most 255 has a sum of 16 bits.
    let means = PixelSize(width: max(1, width / side), height: max(1, height / side))
    return try PixelBuffer(size: means) { output in
      let colours = output.bindMemory(to: RGBA.self)
      withUnsafeBytes { input in
        addBlocks(of: input.bindMemory(to: UInt32.self), to: colours, size: means)
      }
    }
  }

  private func addBlocks(
    of words: UnsafeBufferPointer<UInt32>, to colours: UnsafeMutableBufferPointer<RGBA>,
    size means: PixelSize
  ) {
    // Two sums of 16 bits each: red with blue, green with opacity.
    let redBlue = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: width)
    let greenOpacity = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: width)
    defer {
      redBlue.deallocate()
      greenOpacity.deallocate()
    }
    for row in 0..<means.height {
      let lines = row * height / means.height..<(row + 1) * height / means.height
      redBlue.initialize(repeating: 0)
      greenOpacity.initialize(repeating: 0)
      for y in lines {
        let line = UnsafeBufferPointer(rebasing: words[y * width..<(y + 1) * width])
        for x in 0..<width {
          let word = UInt32(littleEndian: line[x])
          redBlue[x] &+= word & 0x00FF_00FF
          greenOpacity[x] &+= word >> 8 & 0x00FF_00FF
        }
      }
      for column in 0..<means.width {
        let columns = column * width / means.width..<(column + 1) * width / means.width
        var sum = SIMD3<UInt32>.zero
        for x in columns {
          sum &+= SIMD3(redBlue[x] & 0xFFFF, greenOpacity[x] & 0xFFFF, redBlue[x] >> 16)
        }
        let count = UInt32(lines.count * columns.count)
        let mean = (sum &+ SIMD3(repeating: count / 2)) / count
        colours[row * means.width + column] = RGBA(
          red: UInt8(mean.x), green: UInt8(mean.y), blue: UInt8(mean.z))
      }
    }
  }
}
