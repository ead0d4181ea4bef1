internal import PerfModel

/// The spans of a launch as a blob, about 8 bytes a span.
///
/// After the number of spans follow the number of names, and each name as its length and UTF-8.
/// Each span is 3 times the index of its name plus its kind, its thread, its begin as the distance
/// from the previous one, and its duration.
enum SpanCodec {
  private static let version: UInt8 = 1
  private static let kinds = UInt64(Span.Kind.allCases.count)

  static func encode(_ spans: [Span]) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(version)
    writer.appendVarint(UInt64(spans.count))
    var names: [String] = []
    var indices: [String: UInt64] = [:]
    for span in spans where indices[span.name] == nil {
      indices[span.name] = UInt64(names.count)
      names.append(span.name)
    }
    writer.appendVarint(UInt64(names.count))
    for name in names {
      writer.appendVarint(UInt64(name.utf8.count))
      for byte in name.utf8 { writer.append(byte) }
    }
    var previous: UInt64 = 0
    for span in spans {
      writer.appendVarint((indices[span.name] ?? 0) * kinds + UInt64(span.kind.rawValue))
      writer.appendVarint(UInt64(bitPattern: Int64(span.serial)))
      writer.appendDelta(from: previous, to: span.began)
      writer.appendVarint(span.duration)
      previous = span.began
    }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(BlobError) -> [Span] {
    var reader = ByteReader(bytes)
    let count = try reader.header(version: version, smallestElement: 4)
    let names = try names(from: &reader)
    var spans: [Span] = []
    spans.reserveCapacity(count)
    var began: UInt64 = 0
    for _ in 0..<count {
      let tag = try reader.varint()
      guard let kind = Span.Kind(rawValue: Int(tag % kinds)), tag / kinds < UInt64(names.count)
      else { throw .unknownValueKind(UInt8(truncatingIfNeeded: tag)) }
      let serial = Int(truncatingIfNeeded: try reader.varint())
      began = try reader.delta(from: began)
      spans.append(
        Span(
          name: names[Int(tag / kinds)], kind: kind, serial: serial, began: began,
          duration: try reader.varint()))
    }
    try reader.finish()
    return spans
  }

  private static func names(from reader: inout ByteReader) throws(BlobError) -> [String] {
    var names: [String] = []
    for _ in 0..<(try reader.count(smallestElement: 1)) {
      var bytes: [UInt8] = []
      for _ in 0..<(try reader.count(smallestElement: 1)) { bytes.append(try reader.byte()) }
      names.append(String(decoding: bytes, as: UTF8.self))
    }
    return names
  }
}
