internal import Foundation
internal import PerfModel

/// The file of a shard's results, from which `gate --collect` joins the gate.
public struct GateShardFile: Sendable {
  static let schema = "perfkit.gate-shard/1"
  /// The maximum size in bytes; a thousand results take less than a tenth of it.
  private static let largestSize = 256 << 20

  let shard: GateShard
  /// The scenarios of all shards; nil if the gate failed before they were known.
  let split: [[String]]?
  /// The revisions and options of the gate; empty if it failed before they were known.
  let facts: [String: String]
  let digest: GateDigest

  /// Creates the file of a report.
  public init(_ shard: GateShard, _ report: GateReport) {
    self.shard = shard
    (split, facts, digest) = (report.part?.split, report.part?.facts ?? [:], report.digest)
  }

  /// The content that the checksum covers.
  private struct Content: Codable {
    let shard: Int
    let count: Int
    let split: [[String]]?
    let gate: [String: String]
    let report: GateDigest
  }

  private struct Whole: Codable {
    let schema: String
    let checksum: String
    let content: Content
  }

  private struct Header: Codable {
    let schema: String
  }
}

extension GateShardFile {
  /// Reads and checks a file; the path is for messages.
  ///
  /// - Throws: `Failure`.
  init(_ data: Data, path: String) throws {
    func refused(_ cause: String) -> Failure {
      Failure("cannot use '\(path)': \(cause). Measure the shard again, or remove the file.")
    }
    guard data.count <= Self.largestSize else { throw refused("it is too large for a shard") }
    guard let header = try? JSONDecoder().decode(Header.self, from: data),
      header.schema.hasPrefix("perfkit.gate-shard/")
    else { throw refused("it was truncated, or is no file of 'perfkit gate --shard'") }
    guard header.schema == Self.schema else {
      throw refused(
        "its format is \(header.schema.prefix(40)), and this perfkit knows only \(Self.schema)")
    }
    guard let whole = try? JSONDecoder().decode(Whole.self, from: data) else {
      throw refused("a value is missing or has the wrong type")
    }
    let content = whole.content
    guard (try? Self.checksum(content)) == whole.checksum else {
      throw refused("its checksum does not match its content: it was changed")
    }
    guard let shard = GateShard(content.shard, of: content.count),
      content.split.map({ $0.count == shard.count }) ?? true
    else { throw refused("it is of no possible shard") }
    self.shard = shard
    (split, facts, digest) = (content.split, content.gate, content.report)
  }

  /// Returns the file's content: JSON with sorted keys.
  ///
  /// - Throws: `EncodingError` for a number that JSON cannot represent.
  public func text() throws -> String {
    let content = Content(
      shard: shard.number, count: shard.count, split: split, gate: facts, report: digest)
    let whole = Whole(schema: Self.schema, checksum: try Self.checksum(content), content: content)
    return String(decoding: try Self.encoder.encode(whole), as: UTF8.self) + "\n"
  }

  /// Returns the checksum of the content, which a copy has, too.
  private static func checksum(_ content: Content) throws -> String {
    // A large whole number is read as an integer, which is written in another way.
    let copy = try JSONDecoder().decode(Content.self, from: try encoder.encode(content))
    return "fnv1a64:" + StableHash.text(of: try encoder.encode(copy))
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
