extension PixelBuffer {
  /// Returns the picture scaled down; each new pixel is the mean of the area that it covers.
  ///
  /// The mean is taken over the stored sRGB values, as image views do. No side of `target` may be
  /// larger than this picture's; with an equal size the result is this picture itself.
  ///
  /// - Throws: ``CoverError/invalidSize(_:)``, ``CoverError/outOfMemory(bytes:)``.
  /// - Complexity: O(pixels of this picture) time, O(`target.width`) memory beside the result.
  public func scaledDown(to target: PixelSize) throws(CoverError) -> PixelBuffer {
    guard target != size else { return self }
    guard target.width > 0, target.height > 0, target.width <= width, target.height <= height
    else { throw .invalidSize(target) }
    return try PixelBuffer(size: target) { output throws(CoverError) in
      withUnsafeBytes { input in
        var filter = AreaFilter(source: size, target: target)
        filter.run(from: input, to: output)
      }
    }
  }
}

/// A separable box filter with exact fractional weights: first columns, then rows.
private struct AreaFilter {
  let source: PixelSize
  let target: PixelSize
  /// For each source column, its shares in the target column where it starts and in the next one.
  ///
  /// The weights of each target column add up to one.
  private let columns: [Share]
  private var row: [SIMD4<Float>]
  private var sum: [SIMD4<Float>]

  /// The division of one source line between two neighbouring target lines.
  private struct Share {
    let index: Int
    let weight: Float
    let nextWeight: Float
  }

  init(source: PixelSize, target: PixelSize) {
    self.source = source
    self.target = target
    columns = AreaFilter.shares(from: source.width, to: target.width)
    // One extra element, so that the "next" index of the last share is valid.
    row = Array(repeating: .zero, count: target.width + 1)
    sum = Array(repeating: .zero, count: target.width + 1)
  }

  private static func shares(from source: Int, to target: Int) -> [Share] {
    (0..<source).map { line in
      // Integer arithmetic in units of 1/source of a target line, so that borders between lines are
      // exact.
      let index = line * target / source
      let next = max(0, (line + 1) * target - (index + 1) * source)
      return Share(
        index: index, weight: Float(target - next) / Float(source),
        nextWeight: Float(next) / Float(source))
    }
  }

  mutating func run(from input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer) {
    let rows = AreaFilter.shares(from: source.height, to: target.height)
    var done = 0
    for (line, share) in rows.enumerated() {
      if share.index > done {
        flush(row: done, to: output)
        done = share.index
      }
      addColumns(of: UnsafeRawBufferPointer(rebasing: input[(line * source.width * 4)...]))
      for column in 0..<target.width {
        sum[column] += row[column] * share.weight
      }
      if share.nextWeight > 0, share.index + 1 < target.height {
        flush(row: done, to: output)
        done += 1
        for column in 0..<target.width {
          sum[column] = row[column] * share.nextWeight
        }
      }
    }
    flush(row: done, to: output)
  }

  private mutating func addColumns(of line: UnsafeRawBufferPointer) {
    for column in 0...target.width { row[column] = .zero }
    for (column, share) in columns.enumerated() {
      let bytes = line.loadUnaligned(fromByteOffset: column * 4, as: SIMD4<UInt8>.self)
      let pixel = SIMD4(Float(bytes.x), Float(bytes.y), Float(bytes.z), Float(bytes.w))
      row[share.index] += pixel * share.weight
      row[share.index + 1] += pixel * share.nextWeight
    }
  }

  private mutating func flush(row index: Int, to output: UnsafeMutableRawBufferPointer) {
    for column in 0..<target.width {
      let rounded = (sum[column] + 0.5).clamped(
        lowerBound: .zero, upperBound: SIMD4(repeating: 255))
      // Channel by channel, because the standard library's vector conversions are not specialised.
      output.storeBytes(
        of: SIMD4(UInt8(rounded.x), UInt8(rounded.y), UInt8(rounded.z), UInt8(rounded.w)),
        toByteOffset: (index * target.width + column) * 4, as: SIMD4<UInt8>.self)
      sum[column] = .zero
    }
  }
}
