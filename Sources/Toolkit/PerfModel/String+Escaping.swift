extension String {
  /// Returns the text with something else in the place of some signs.
  ///
  /// What parsers take for a sign is a scalar, whatever its neighbours are. To Swift a quote between
  /// U+0600 and U+0301 is a part of one character, which is no quote; neither is a line feed behind a
  /// carriage return one.
  ///
  /// - Parameter escapes: What stands for each sign; signs are of ASCII.
  /// - Returns: The text with them.
  package func escaping(_ escapes: [Unicode.Scalar: String]) -> String {
    // No byte of another scalar is one of ASCII.
    let signs = escapes.keys.map { UInt8(ascii: $0) }
    guard utf8.contains(where: { signs.contains($0) }) else { return self }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    for byte in utf8 {
      if signs.contains(byte), let text = escapes[Unicode.Scalar(byte)] {
        bytes += text.utf8
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
