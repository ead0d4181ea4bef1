internal import PerfStore

/// The file of a shard's results, from which `gate --collect` joins the gate.
public struct GateShardFile: Sendable {
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

  private struct Content: ChecksummedContent {
    static let schema = "perfkit.gate-shard/1"
    static let member = "content"
    static let writer = "perfkit gate --shard"

    let shard: Int
    let count: Int
    let split: [[String]]?
    let gate: [String: String]
    let report: GateDigest
  }
}

extension GateShardFile {
  /// Reads and checks a file; the path is for messages.
  ///
  /// - Throws: `Failure`.
  init(_ bytes: [UInt8], path: String) throws {
    func refused(_ cause: String) -> Failure {
      Failure("cannot use '\(path)': \(cause). Measure the shard again, or remove the file.")
    }
    let content: Content
    do {
      content = try ChecksummedFile.content(of: bytes)
    } catch {
      throw refused(error.cause)
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
    try ChecksummedFile.text(
      of: Content(
        shard: shard.number, count: shard.count, split: split, gate: facts, report: digest))
  }
}
