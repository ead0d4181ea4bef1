/// The segments of a JPEG file before its picture data, and the corrections that they need.
///
/// Cameras and editors write headers that deviate from the standard without a loss of the picture.
/// Other programs show such files. libturbojpeg reports a warning for each deviation, but only the
/// first one of a file, which hides warnings of a damaged picture. Corrected bytes have none of
/// these deviations, so that a remaining warning means damage:
///
/// - stray bytes between two segments (libjpeg's `JWRN_EXTRANEOUS_DATA`),
/// - a version of JFIF other than 1 (`JWRN_JFIF_MAJOR`),
/// - an unknown transform in the Adobe segment (`JWRN_ADOBE_XFORM`),
/// - coefficients other than 0 to 63 of a sequential scan (`JWRN_NOT_SEQUENTIAL`).
///
/// The segments of all scans are read, except in a file with a single one.
struct JPEGLayout {
  /// The start-of-frame segment.
  struct Frame {
    /// The second byte of its marker.
    let marker: UInt8
    /// The number of bits per sample.
    let precision: UInt8
    /// The number of lines; 0 when it follows the first scan.
    let height: Int
    /// The identifiers of the components.
    let identifiers: [UInt8]
    /// The number of values of all components per pixel: 1.5 at 4:2:0.
    let valuesPerPixel: Double

    /// Whether the picture is stored in several scans, coarse to fine.
    var isProgressive: Bool { marker & 0x03 == 2 }
  }

  /// The start-of-frame segment; nil when it is missing or truncated.
  private(set) var frame: Frame?
  /// The position of the stored rows on the display.
  var orientation: PictureOrientation { exif ?? .up }
  /// The parts of the embedded colour profile, in the order of the file.
  private(set) var profileParts: [[UInt8]] = []
  /// Whether more scans follow the first one; libjpeg then keeps all coefficients in memory.
  private(set) var hasSeveralScans = false
  /// Whether the file is progressive and every scan header is valid, up to the end marker.
  var isSoundProgressive: Bool { hasEnd && progression?.isValid == true }

  private var exif: PictureOrientation?
  private var adobeTransform: (position: Int, value: UInt8)?
  private var edits: [(range: Range<Int>, bytes: [UInt8])] = []
  private var progression: JPEGProgression?
  private var otherKind: String?
  private var hasEnd = false

  /// Reads the header of a file that begins with the marker FF D8.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    var markers = JPEGMarkers(bytes)
    _ = markers.next()
    var end = markers.position
    while let marker = markers.next() {
      let stray = end..<markers.position - 2
      if bytes[stray].contains(where: { $0 != 0xFF }) { edits.append((stray, [])) }
      switch marker {
      case 0x01, 0xD0...0xD8: break
      case 0xD9:
        hasEnd = true
        return
      default:
        guard let segment = markers.segment() else { return }
        read(segment, of: marker)
        if marker == 0xDA {
          guard isFollowed(Array(segment)) else { return }
          hasSeveralScans = true
          markers.skipData()
        }
      }
      end = markers.position
    }
  }

  /// The reason why no decoder of the library supports the file; nil if it may be supported.
  var unsupportedKind: String? {
    guard otherKind == nil, let frame else { return otherKind }
    switch frame.marker {
    case 0xC3, 0xCB: return "it is a lossless JPEG"
    case 0xC5...0xC7, 0xCD...0xCF: return "it is a hierarchical JPEG"
    default: break
    }
    if frame.precision != 8 { return "it has \(frame.precision) bits per sample instead of 8" }
    if ![1, 3, 4].contains(frame.identifiers.count) {
      return "it has \(frame.identifiers.count) colour components instead of 1, 3 or 4"
    }
    return frame.height == 0 ? "its height follows the picture (DNL)" : nil
  }

  /// Returns the bytes of the file without the deviations; they are the same bytes if it has none.
  func corrected(_ bytes: [UInt8]) -> [UInt8] {
    var edits = edits
    if let (position, transform) = adobeTransform, let count = frame?.identifiers.count {
      // Without a transform the components are RGB or CMYK. libjpeg takes an unknown transform for
      // that of YCbCr or YCCK.
      let known: UInt8 = count == 4 ? 2 : 1
      if ![0, known].contains(transform) { edits.append((position..<position + 1, [known])) }
    }
    guard !edits.isEmpty else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var position = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      result += bytes[position..<edit.range.lowerBound] + edit.bytes
      position = edit.range.upperBound
    }
    return result + bytes[position...]
  }

  // MARK: - Segments

  private mutating func read(_ segment: Slice<UnsafeBufferPointer<UInt8>>, of marker: UInt8) {
    switch marker {
    case 0xC4: progression?.define(Array(segment))
    case 0xC8: otherKind = "it is a JPEG of a reserved kind"
    case 0xCC: break
    case 0xC0...0xCF: readFrame(segment, of: marker)
    case 0xDA: readScan(segment)
    case 0xDE: otherKind = "it is a hierarchical JPEG"
    case 0xE0: readJFIF(segment)
    case 0xE1: exif = exif ?? ExifOrientation.read(segment)
    case 0xE2 where segment.starts(with: Self.profileName):
      profileParts.append(Array(segment.dropFirst(Self.profileName.count)))
    case 0xEE where segment.count >= 12 && segment.starts(with: Array("Adobe".utf8)):
      adobeTransform = (segment.startIndex + 11, segment[segment.startIndex + 11])
    case 0xF7: otherKind = "it is a JPEG-LS file"
    default: break
    }
  }

  private static let profileName = Array("ICC_PROFILE\0".utf8)

  private mutating func readFrame(
    _ segment: Slice<UnsafeBufferPointer<UInt8>>, of marker: UInt8
  ) {
    let bytes = Array(segment)
    guard frame == nil, bytes.count >= 6, bytes.count == 6 + 3 * Int(bytes[5]) else { return }
    let components = stride(from: 6, to: bytes.count, by: 3)
    let factors = components.map { (Int(bytes[$0 + 1] >> 4), Int(bytes[$0 + 1] & 15)) }
    let largest = (factors.map(\.0).max() ?? 1) * (factors.map(\.1).max() ?? 1)
    let frame = Frame(
      marker: marker, precision: bytes[0], height: Int(bytes[1]) << 8 | Int(bytes[2]),
      identifiers: components.map { bytes[$0] },
      valuesPerPixel: Double(factors.reduce(0) { $0 + $1.0 * $1.1 }) / Double(max(1, largest)))
    self.frame = frame
    if frame.isProgressive { progression = JPEGProgression(frame.identifiers) }
  }

  private mutating func readJFIF(_ segment: Slice<UnsafeBufferPointer<UInt8>>) {
    let version = segment.startIndex + 5
    // libjpeg ignores a shorter segment.
    guard segment.count >= 14, segment.starts(with: Array("JFIF\0".utf8)), segment[version] != 1
    else { return }
    edits.append((version..<version + 1, [1]))
  }

  private mutating func readScan(_ segment: Slice<UnsafeBufferPointer<UInt8>>) {
    guard let frame, segment.count == 4 + 2 * Int(segment.first ?? 0) else { return }
    guard !frame.isProgressive else {
      progression?.read(Array(segment))
      return
    }
    let coefficients = segment.endIndex - 3..<segment.endIndex
    let sequential: [UInt8] = [0, 63, 0]
    if !segment[coefficients].elementsEqual(sequential) {
      edits.append((coefficients, sequential))
    }
  }

  /// Returns whether other scans may follow a scan.
  private func isFollowed(_ scan: [UInt8]) -> Bool {
    guard let frame, let count = scan.first else { return false }
    return frame.isProgressive || Int(count) < frame.identifiers.count
  }
}
