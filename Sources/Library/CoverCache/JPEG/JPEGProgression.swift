/// The precision that the scans of a progressive picture have reached, from their headers.
///
/// The rules are those of libjpeg's decoder of progressive scans, so that a valid progression is
/// one that it decodes.
///
/// Source: ITU T.81, G.1.1.1.
struct JPEGProgression {
  /// The missing low bits of each of 64 coefficients per component; nil before its first scan.
  private var missingBits: [UInt8: [UInt8?]]
  private var tables: Set<UInt8> = []
  private var scanCount = 0
  /// Whether all scans so far are valid.
  private(set) var isValid = true

  /// libturbojpeg's limit, by which a small file cannot take minutes.
  private static let mostScans = 500

  /// Creates the state before the first scan of components with these identifiers.
  init(_ identifiers: [UInt8]) {
    missingBits = Dictionary(
      identifiers.map { ($0, Array(repeating: nil, count: 64)) }, uniquingKeysWith: { $1 })
  }

  /// Reads a segment of Huffman tables.
  mutating func define(_ segment: [UInt8]) {
    var rest = segment[...]
    while let table = JPEGHuffmanDefinition(from: &rest) {
      if table.isValid { tables.insert(table.identifier) }
    }
    isValid = isValid && rest.isEmpty
  }

  /// Reads the header of a scan, of at least four bytes.
  mutating func read(_ header: [UInt8]) {
    scanCount += 1
    let parameters = Array(header.suffix(3))
    let (first, last) = (Int(parameters[0]), Int(parameters[1]))
    let (before, after) = (parameters[2] >> 4, parameters[2] & 15)
    let pairs = stride(from: 1, to: header.count - 3, by: 2).map { (header[$0], header[$0 + 1]) }
    let isOfMeans = first == 0
    isValid =
      isValid && scanCount <= Self.mostScans && after <= 13
      && (isOfMeans ? last == 0 : last >= first && last < 64 && pairs.count == 1)
      && (before == 0 || after == before - 1)
    guard isValid else { return }
    for (identifier, table) in pairs {
      guard let bits = missingBits[identifier], isOfMeans || bits[0] != nil,
        (first...last).allSatisfy({ (bits[$0] ?? 0) == before }),
        isOfMeans ? before > 0 || tables.contains(table >> 4) : tables.contains(0x10 | table & 15)
      else {
        isValid = false
        return
      }
      for index in first...last { missingBits[identifier]?[index] = after }
    }
  }
}
