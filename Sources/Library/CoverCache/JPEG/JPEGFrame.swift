/// The size and components of a JPEG picture, from its start-of-frame segment.
///
/// Source: ITU T.81, B.2.2 and A.2.
struct JPEGFrame {
  /// A colour component of the picture, which has one or three of them.
  struct Component {
    /// The component's identifier in scans.
    let identifier: UInt8
    /// The component's blocks per MCU, from left to right and from top to bottom.
    let factor: PixelSize
    /// The index of the component's quantisation table, 0 to 3.
    let quantiser: Int
  }

  /// The size of the whole picture.
  let size: PixelSize
  /// Whether the picture is stored in several scans, coarse to fine.
  let isProgressive: Bool
  /// The components, one or three.
  let components: [Component]
  /// The largest sampling factors of all components.
  let largestFactor: PixelSize

  /// Reads a segment; nil unless it is valid, with 8 bits per sample and one or three components.
  init?(_ segment: Slice<UnsafeBufferPointer<UInt8>>, isProgressive: Bool) {
    let bytes = Array(segment)
    guard bytes.count >= 9, bytes[0] == 8, [1, 3].contains(bytes[5]),
      bytes.count == 6 + 3 * Int(bytes[5])
    else { return nil }
    size = PixelSize(
      width: Int(bytes[3]) << 8 | Int(bytes[4]), height: Int(bytes[1]) << 8 | Int(bytes[2]))
    self.isProgressive = isProgressive
    components = stride(from: 6, to: bytes.count, by: 3).map { index in
      let factors = Int(bytes[index + 1])
      return Component(
        identifier: bytes[index], factor: PixelSize(width: factors >> 4, height: factors & 15),
        quantiser: Int(bytes[index + 2]))
    }
    largestFactor = PixelSize(
      width: components.map(\.factor.width).max() ?? 0,
      height: components.map(\.factor.height).max() ?? 0)
    guard size.width > 0, size.height > 0, components.allSatisfy(\.isValid) else { return nil }
    // libjpeg refuses other factors: "Fractional sampling not implemented yet".
    guard
      components.allSatisfy({
        largestFactor.width.isMultiple(of: $0.factor.width)
          && largestFactor.height.isMultiple(of: $0.factor.height)
      })
    else { return nil }
  }

  /// The number of MCUs that cover the picture, including partly covered ones.
  var units: PixelSize { blocks(of: PixelSize(width: 1, height: 1)) }

  /// Returns the blocks that cover the picture in one component, without padding of an MCU.
  func blocks(of component: Component) -> PixelSize { blocks(of: component.factor) }

  private func blocks(of factor: PixelSize) -> PixelSize {
    func count(_ side: Int, _ largest: Int) -> Int { (side + 8 * largest - 1) / (8 * largest) }
    return PixelSize(
      width: count(size.width * factor.width, largestFactor.width),
      height: count(size.height * factor.height, largestFactor.height))
  }
}

extension JPEGFrame.Component {
  fileprivate var isValid: Bool {
    (1...4).contains(factor.width) && (1...4).contains(factor.height) && quantiser < 4
  }
}
