/// A component of a scan, with what its blocks need.
struct JPEGScanComponent {
  /// Its place in the frame.
  let index: Int
  let component: JPEGFrame.Component
  /// Where its means go.
  let plane: JPEGPlane
  /// The table of its means.
  let means: JPEGHuffmanTable
  /// The table of its other coefficients; nil when they are in other scans.
  let others: JPEGHuffmanTable?
  /// What its means were divided by.
  let quantiser: Int
  /// Whether the scan has no other component: an MCU is one block then.
  let isAlone: Bool
  /// Lower bits of its means that are left to later scans.
  let missingBits: Int

  /// Returns its blocks in an MCU; `sum` is which of the scan's sums of differences is its own.
  func blocks(sum: Int) -> [JPEGScan.Block] {
    let factor = isAlone ? PixelSize(width: 1, height: 1) : component.factor
    return (0..<factor.height).flatMap { row in
      (0..<factor.width).map { column in
        JPEGScan.Block(
          component: sum, means: .passUnretained(means), meanCodes: UnsafePointer(means.codes),
          others: others.map { .passUnretained($0) },
          otherSteps: others.map { UnsafePointer($0.steps) },
          output: plane.samples + row * plane.width + column,
          strides: (factor.width, factor.height * plane.width), quantiser: quantiser)
      }
    }
  }
}
