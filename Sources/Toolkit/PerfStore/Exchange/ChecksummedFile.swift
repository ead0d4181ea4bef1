internal import Foundation
internal import PerfModel

/// The content of a JSON file with a checksum.
package protocol ChecksummedContent: Codable {
  /// The format and its version, e.g. `perfkit.baseline/1`.
  static var schema: String { get }
  /// The name of the file's member that contains the content.
  static var member: String { get }
  /// The command that writes such files, for messages.
  static var writer: String { get }
}

/// The reader and writer of JSON files whose changes a checksum detects.
package enum ChecksummedFile {
  /// The maximum size in bytes; a baseline of a thousand runs takes a tenth of it.
  package static let largestSize = 256 << 20

  /// The reason why a file cannot be used.
  package struct Refusal: Error {
    /// The reason as a clause without a full stop.
    package let cause: String
    /// Whether another version of PerfKit wrote the file.
    package var isOtherVersion = false
  }

  /// Returns a file's text: JSON with sorted keys and a newline.
  ///
  /// - Throws: `EncodingError` for a number that JSON cannot represent.
  package static func text<Content: ChecksummedContent>(of content: Content) throws -> String {
    // A large whole number is read as an integer, which is written in another way.
    let copy = try JSONDecoder().decode(Content.self, from: try encoder.encode(content))
    let whole = Whole(checksum: try checksum(of: copy), content: content)
    return String(decoding: try encoder.encode(whole), as: UTF8.self) + "\n"
  }

  /// Reads and checks a file.
  package static func content<Content: ChecksummedContent>(
    of bytes: [UInt8]
  ) throws(Refusal) -> Content {
    guard bytes.count <= largestSize else {
      throw Refusal(cause: "it is too large for a file of '\(Content.writer)'")
    }
    let data = Data(bytes)
    let family = String(Content.schema.prefix(while: { $0 != "/" })) + "/"
    guard let header = try? JSONDecoder().decode(Header.self, from: data),
      header.schema.hasPrefix(family)
    else {
      throw Refusal(cause: "it was truncated, or is not a file of '\(Content.writer)'")
    }
    guard header.schema == Content.schema else {
      throw Refusal(
        cause: "its format is \(header.schema.prefix(40)), and this perfkit knows only "
          + Content.schema, isOtherVersion: true)
    }
    guard let whole = try? JSONDecoder().decode(Whole<Content>.self, from: data) else {
      throw Refusal(cause: "a value is missing or has the wrong type")
    }
    guard (try? checksum(of: whole.content)) == whole.checksum else {
      throw Refusal(cause: "its checksum does not match its content: it was changed")
    }
    return whole.content
  }

  private static func checksum(of content: some Encodable) throws -> String {
    "fnv1a64:" + StableHash.text(of: try encoder.encode(content))
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

private struct Header: Decodable {
  let schema: String
}

/// A file, whose kind names the member with the content.
private struct Whole<Content: ChecksummedContent>: Codable {
  let checksum: String
  let content: Content

  init(checksum: String, content: Content) {
    (self.checksum, self.content) = (checksum, content)
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    checksum = try members.decode(String.self, forKey: .checksum)
    content = try members.decode(Content.self, forKey: Member(stringValue: Content.member))
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(Content.schema, forKey: .schema)
    try members.encode(checksum, forKey: .checksum)
    try members.encode(content, forKey: Member(stringValue: Content.member))
  }
}

private struct Member: CodingKey {
  static let schema = Member(stringValue: "schema")
  static let checksum = Member(stringValue: "checksum")

  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { return nil }
}
