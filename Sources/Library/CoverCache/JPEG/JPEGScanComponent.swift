/// A component of a scan with its tables and its plane.
struct JPEGScanComponent {
  /// The component's index in the frame.
  let index: Int
  let component: JPEGFrame.Component
  /// The destination of the means.
  let plane: JPEGPlane
  /// The table of the means.
  let means: JPEGHuffmanTable
  /// The table of the other coefficients; nil when they are in other scans.
  let others: JPEGHuffmanTable?
  /// The divisor of the means.
  let quantiser: Int
  /// Whether the scan has no other component; an MCU is then a single block.
  let isAlone: Bool
  /// The number of low bits of the means that later scans add.
  let missingBits: Int

  /// Returns the component's blocks in an MCU; `sum` is the index of its running sum in the scan.
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
