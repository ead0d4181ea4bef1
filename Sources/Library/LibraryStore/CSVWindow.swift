/// The bytes of a CSV file from the start of the current row, and some of those after it.
///
/// A reader can return to the start of the row until it begins the next one.
struct CSVWindow {
  private var source: TextSource
  private var bytes: [UInt8] = []
  private var rowStart = 0
  private var position = 0

  /// Whether the file itself declares its encoding as UTF-8 or UTF-16.
  var declaresUnicode: Bool { source.declaresUnicode }
  /// The bytes of the row so far.
  var row: ArraySlice<UInt8> { bytes[rowStart..<position] }
  /// The number of bytes of the row so far.
  var rowLength: Int { position - rowStart }

  /// Opens a file and reads its first bytes.
  ///
  /// - Throws: `unreadable`.
  init(path: String) throws(LibraryError) {
    source = try TextSource(path: path)
    _ = try source.read(into: &bytes)
  }

  /// Makes the next byte the first one of a row.
  mutating func beginRow() { rowStart = position }

  /// Makes the row's first byte the next one.
  mutating func returnToRow() { position = rowStart }

  /// Returns the next byte without passing it, or nil at the end of the file.
  mutating func peek() throws(LibraryError) -> UInt8? {
    while position == bytes.count {
      bytes.removeSubrange(..<rowStart)
      position -= rowStart
      rowStart = 0
      guard try source.read(into: &bytes) else { return nil }
    }
    return bytes[position]
  }

  /// Returns the next byte, or nil at the end of the file.
  mutating func next() throws(LibraryError) -> UInt8? {
    guard let byte = try peek() else { return nil }
    position += 1
    return byte
  }

  /// Returns the separator of the first line, and passes a line such as `sep=;`, which Excel reads.
  mutating func readSeparator() -> UInt8 {
    let newlines = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
    let line = bytes.drop { newlines.contains($0) }.prefix { !newlines.contains($0) }
    if line.startIndex == 0, line.count == 5, line.starts(with: "sep=".utf8),
      let separator = line.last
    {
      position = line.endIndex
      return separator
    }
    let counts = ",;\t".utf8.map { (separator: $0, count: Self.count($0, outsideQuotesIn: line)) }
    return counts.max { $0.count < $1.count }?.separator ?? UInt8(ascii: ",")
  }

  private static func count(_ separator: UInt8, outsideQuotesIn line: ArraySlice<UInt8>) -> Int {
    var isQuoted = false
    return line.count { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == separator && !isQuoted
    }
  }
}
