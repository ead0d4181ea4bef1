import Testing

/// Reads a pprof file by the wire format's definition, independent of the writer.
struct PprofReader {
  /// The fields of a message: numbers, and the contents of all length-delimited fields.
  struct Message {
    var numbers: [Int: [UInt64]] = [:]
    var contents: [Int: [[UInt8]]] = [:]

    init(_ bytes: [UInt8]) throws {
      var position = 0
      func varint() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
          try #require(position < bytes.count && shift < 64)
          let byte = bytes[position]
          position += 1
          value |= UInt64(byte & 0x7F) << shift
          if byte < 0x80 { return value }
          shift += 7
        }
      }
      while position < bytes.count {
        let tag = try varint()
        if tag & 7 == 0 {
          numbers[Int(tag >> 3), default: []].append(try varint())
        } else {
          try #require(tag & 7 == 2)
          let length = Int(try varint())
          try #require(position + length <= bytes.count)
          contents[Int(tag >> 3), default: []].append(
            Array(bytes[position..<(position + length)]))
          position += length
        }
      }
    }

    func number(_ field: Int) -> Int { Int(truncatingIfNeeded: numbers[field]?.last ?? 0) }

    func messages(_ field: Int) throws -> [Message] {
      try (contents[field] ?? []).map(Message.init)
    }

    /// Returns the numbers of a packed field.
    func packed(_ field: Int) throws -> [Int] {
      // The packed varints are decoded one after the other.
      var numbers: [Int] = []
      var value = 0
      var shift = 0
      for byte in (contents[field] ?? []).joined() {
        value |= Int(byte & 0x7F) << shift
        shift += 7
        if byte < 0x80 {
          numbers.append(value)
          (value, shift) = (0, 0)
        }
      }
      return numbers
    }
  }

  let profile: Message
  let texts: [String]

  init(_ file: [UInt8]) throws {
    profile = try Message(GzipReader.content(of: file))
    texts = (profile.contents[6] ?? []).map { String(decoding: $0, as: UTF8.self) }
    try #require(texts.first == "")
  }

  func text(_ message: Message, _ field: Int) throws -> String {
    let index = message.number(field)
    try #require(texts.indices.contains(index))
    return texts[index]
  }

  /// Returns the samples as lines of the form `inner:line<outer:line | values | key=value ...`.
  ///
  /// Functions inlined into one another are joined by a plus.
  func lines() throws -> [String] {
    let functions = try Dictionary(
      uniqueKeysWithValues: profile.messages(5).map { ($0.number(1), try text($0, 2)) })
    let locations = try Dictionary(
      uniqueKeysWithValues: profile.messages(4).map { location in
        (
          location.number(1),
          try location.messages(4).map { line in
            let name = try #require(functions[line.number(1)])
            return "\(name):\(line.number(2))"
          }.joined(separator: "+")
        )
      })
    return try profile.messages(2).map { sample in
      let stack = try sample.packed(1).map { try #require(locations[$0]) }
      let labels = try sample.messages(3).map { label in
        let value = label.number(2) == 0 ? "\(label.number(3))" : try text(label, 2)
        return "\(try text(label, 1))=\(value)"
      }
      let values = try sample.packed(2).map(String.init)
      return [
        stack.joined(separator: "<"), values.joined(separator: " "), labels.joined(separator: " "),
      ]
      .joined(separator: " | ")
    }
  }
}
