/// Reads the mean of each block of 8x8 pixels of a JPEG file, and as little else as possible.
///
/// A mean is a block's DC coefficient. The codes of the other coefficients are skipped without
/// decoding their values.
///
/// The reader supports the kinds of file that covers use: Huffman codes, 8 bits, grey, YCbCr or
/// RGB. For other or invalid files it returns nil, and libturbojpeg decodes the file or reports the
/// error. ``JPEGLayout`` checks the order of the scans of a progressive file.
struct JPEGMosaicReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var markers: JPEGMarkers
  private var frame: JPEGFrame?
  private var planes: [JPEGPlane?] = []
  /// A bit for each coefficient that is not zero, of the blocks of each component.
  private var nonzero: [[UInt64]] = []
  /// The divisor of the DC coefficient in each quantisation table.
  private var quantisers: [Int?] = Array(repeating: nil, count: 4)
  private var meanTables: [JPEGHuffmanDefinition?] = Array(repeating: nil, count: 4)
  private var otherTables: [JPEGHuffmanDefinition?] = Array(repeating: nil, count: 4)
  private var restartInterval = 0
  private var colours = JPEGColors()

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    markers = JPEGMarkers(bytes)
  }

  /// Reads the whole file, so that a file that cannot be decoded has no mosaic.
  mutating func read() -> JPEGMosaic? {
    while let marker = markers.next() {
      switch marker {
      case 0x01, 0xD0...0xD7: continue
      case 0xD8: guard markers.position == 2 else { return nil }
      case 0xD9: return mosaic
      case 0xDA:
        guard let frame, let segment = markers.segment(), readScan(Array(segment), of: frame)
        else { return nil }
      default:
        guard let segment = markers.segment(), readSegment(segment, of: marker) else { return nil }
      }
    }
    return nil
  }

  /// The means of all components; nil when some are missing.
  private var mosaic: JPEGMosaic? {
    let complete = planes.compactMap(\.self)
    guard let frame, complete.count == frame.components.count else { return nil }
    return JPEGMosaic(
      frame: frame, planes: complete,
      isRGB: colours.isRGB(frame.components.map(\.identifier)))
  }

  // MARK: - Segments

  private mutating func readSegment(
    _ segment: Slice<UnsafeBufferPointer<UInt8>>, of marker: UInt8
  ) -> Bool {
    switch marker {
    case 0xC0, 0xC1, 0xC2:
      guard frame == nil else { return false }
      frame = JPEGFrame(segment, isProgressive: marker == 0xC2)
      planes = Array(repeating: nil, count: frame?.components.count ?? 0)
      nonzero = Array(repeating: [], count: planes.count)
      return frame != nil
    case 0xC4: return readHuffmanTables(Array(segment))
    case 0xC3, 0xC5...0xCF: return false
    case 0xDB: return readQuantisers(Array(segment))
    case 0xDD:
      guard segment.count == 2, let high = segment.first, let low = segment.last
      else { return false }
      restartInterval = Int(high) << 8 | Int(low)
      return true
    case 0xE0, 0xEE:
      colours.read(Array(segment.prefix(14)), isAdobe: marker == 0xEE)
      return true
    case 0xDC, 0xE1...0xEF, 0xFE: return true
    default: return false
    }
  }

  private mutating func readQuantisers(_ segment: [UInt8]) -> Bool {
    var rest = segment[...]
    while let head = rest.popFirst() {
      let isWide = head >> 4 == 1
      guard head >> 4 <= 1, head & 15 < 4, rest.count >= (isWide ? 128 : 64) else { return false }
      let values = Array(rest.prefix(2))
      quantisers[Int(head & 15)] =
        isWide ? Int(values[0]) << 8 | Int(values[1]) : Int(values[0])
      rest = rest.dropFirst(isWide ? 128 : 64)
    }
    return true
  }

  private mutating func readHuffmanTables(_ segment: [UInt8]) -> Bool {
    var rest = segment[...]
    while let table = JPEGHuffmanDefinition(from: &rest) {
      let number = Int(table.identifier & 15)
      if table.identifier >> 4 == 0 {
        meanTables[number] = table
      } else {
        otherTables[number] = table
      }
    }
    return rest.isEmpty
  }

  // MARK: - Scans

  /// Reads a scan of means, or skips the codes of another one.
  private mutating func readScan(_ header: [UInt8], of frame: JPEGFrame) -> Bool {
    guard let count = header.first.map(Int.init), (1...3).contains(count),
      header.count == 4 + 2 * count
    else { return false }
    let (first, approximation) = (header[1 + 2 * count], header[3 + 2 * count])
    if frame.isProgressive, first > 0 || approximation >> 4 > 0 {
      return readLaterScan(header, of: frame)
    }
    guard approximation & 15 <= 13 else { return false }
    var members: [JPEGScanComponent] = []
    for place in stride(from: 1, to: 1 + 2 * count, by: 2) {
      guard
        let index = frame.components.firstIndex(where: { $0.identifier == header[place] }),
        let member = member(
          index, of: frame, tables: header[place + 1], isAlone: count == 1,
          missingBits: frame.isProgressive ? Int(approximation & 15) : 0)
      else { return false }
      members.append(member)
    }
    return read(members, of: frame)
  }

  private func member(
    _ index: Int, of frame: JPEGFrame, tables: UInt8, isAlone: Bool, missingBits: Int
  ) -> JPEGScanComponent? {
    let component = frame.components[index]
    guard planes[index] == nil, tables >> 4 < 4, tables & 15 < 4,
      let quantiser = quantisers[component.quantiser],
      let means = meanTables[Int(tables >> 4)].flatMap({ JPEGHuffmanTable($0) })
    else { return nil }
    var others: JPEGHuffmanTable?
    if !frame.isProgressive {
      guard let table = otherTables[Int(tables & 15)].flatMap({ JPEGHuffmanTable($0) })
      else { return nil }
      table.prepareSteps()
      others = table
    }
    let plane = JPEGPlane(
      width: frame.units.width * component.factor.width,
      height: frame.units.height * component.factor.height)
    return JPEGScanComponent(
      index: index, component: component, plane: plane, means: means, others: others,
      quantiser: quantiser, isAlone: isAlone, missingBits: missingBits)
  }

  private mutating func read(_ members: [JPEGScanComponent], of frame: JPEGFrame) -> Bool {
    let blocks = members.enumerated().flatMap { $1.blocks(sum: $0) }
    guard blocks.count <= 10, let first = members.first else { return false }
    let scan = JPEGScan(
      blocks: blocks, units: first.isAlone ? frame.blocks(of: first.component) : frame.units,
      restartInterval: restartInterval, missingBits: first.missingBits)
    let end = withExtendedLifetime(members) { scan.read(bytes, from: markers.position) }
    guard let end else { return false }
    markers.skip(to: end)
    for member in members { planes[member.index] = member.plane }
    return Set(members.map(\.index)).count == members.count
  }

  /// Reads a progressive scan without the means, or with one more bit of them.
  private mutating func readLaterScan(_ header: [UInt8], of frame: JPEGFrame) -> Bool {
    let parameters = header.suffix(3).map { Int($0) }
    let indices = stride(from: 1, to: header.count - 3, by: 2).compactMap { place in
      frame.components.firstIndex { $0.identifier == header[place] }
    }
    guard let index = indices.first, indices.count == Int(header[0]) else { return false }
    let isAlone = indices.count == 1
    let size = isAlone ? frame.blocks(of: frame.components[index]) : frame.units
    let factors = indices.map { frame.components[$0].factor }
    let band = parameters[0] > 0 ? parameters[0]...max(parameters[0], min(63, parameters[1])) : nil
    let table = band.flatMap { _ in
      otherTables[Int(header[2] & 3)].flatMap { JPEGHuffmanTable($0) }
    }
    guard (table == nil) == (band == nil), isAlone || band == nil else { return false }
    if nonzero[index].isEmpty {
      nonzero[index] = Array(repeating: 0, count: isAlone ? size.width * size.height : 0)
    }
    let scan = JPEGLaterScan(
      band: band, isRefinement: parameters[2] >> 4 > 0, units: size.width * size.height,
      blocksPerUnit: isAlone ? 1 : factors.reduce(0) { $0 + $1.width * $1.height },
      restartInterval: restartInterval)
    let end = nonzero[index].withUnsafeMutableBufferPointer { nonzero in
      scan.read(bytes, from: markers.position, table: table, nonzero: nonzero)
    }
    guard let end else { return false }
    markers.skip(to: end)
    return true
  }
}
