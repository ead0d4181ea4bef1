internal import Foundation
public import PerfModel

/// A baseline as a file for another store: its runs with their metrics and environments.
///
/// It contains no profiles, frames and series, because baselines are compared by metrics alone.
public struct BaselineFile: Sendable {
  /// The format that this program writes.
  public static let schema = "perfkit.baseline/1"
  /// The maximum size in bytes; a baseline of a thousand runs takes a tenth of it.
  public static let largestSize = 256 << 20

  /// The baseline's name.
  public let name: String
  /// The time of the last save.
  public let saved: Timestamp
  /// The runs in order, at least one.
  public let runs: [Run]

  /// The content that the checksum covers.
  private struct Content: Codable {
    let name: String
    let saved: Int64
    let runs: [RunRecord]
  }

  private struct Whole: Codable {
    let schema: String
    let checksum: String
    let baseline: Content
  }

  private struct Header: Codable {
    let schema: String
  }
}

extension BaselineFile {
  /// Reads and checks a file; the path is for messages.
  ///
  /// - Throws: `StoreError.notImportable`.
  public init(_ bytes: [UInt8], path: String) throws(StoreError) {
    func refused(_ cause: String) -> StoreError { .notImportable(path: path, cause: cause) }
    guard bytes.count <= Self.largestSize else { throw refused("it is too large to be a baseline") }
    let data = Data(bytes)
    guard let header = try? JSONDecoder().decode(Header.self, from: data),
      header.schema.hasPrefix("perfkit.baseline/")
    else { throw refused("it is not a file of 'perfkit baseline export'") }
    guard header.schema == Self.schema else {
      throw refused(
        "its format is \(header.schema.prefix(40)), and this perfkit knows only \(Self.schema). Use "
          + "the perfkit that wrote it")
    }
    let whole: Whole
    do {
      whole = try JSONDecoder().decode(Whole.self, from: data)
    } catch {
      throw refused("a value is missing or has the wrong type")
    }
    guard (try? Self.checksum(whole.baseline)) == whole.checksum else {
      throw refused("its checksum does not match its content: it was truncated or changed")
    }
    do {
      runs = try whole.baseline.runs.map { record in try record.run() }
      try StoredName.check(whole.baseline.name)
    } catch let problem as RecordProblem {
      throw refused(problem.text)
    } catch {
      throw refused("\(error)")
    }
    guard !runs.isEmpty, Set(runs.map(\.id)).count == runs.count else {
      throw refused("it contains no run, or one run twice")
    }
    name = whole.baseline.name
    saved = Timestamp(milliseconds: whole.baseline.saved)
  }

  /// Returns the file's content: JSON with sorted keys.
  ///
  /// - Throws: `StoreError.unstorable` if a run has a value that is not finite.
  public func text() throws(StoreError) -> String {
    for run in runs {
      let wrong = run.launches.lazy.flatMap(\.metrics).first { !$0.value.isFinite }
      if let wrong {
        throw .unstorable(run: run.id, reason: "a value of \(wrong.key) is not a finite number")
      }
    }
    do {
      return try Self.text(of: runs.map(RunRecord.init), name: name, saved: saved)
    } catch {
      throw .unstorable(run: runs[0].id, reason: "it has a value that JSON cannot represent")
    }
  }

  /// Returns the text of a file with records.
  static func text(of runs: [RunRecord], name: String, saved: Timestamp) throws -> String {
    let content = Content(name: name, saved: saved.milliseconds, runs: runs)
    let whole = Whole(schema: schema, checksum: try checksum(content), baseline: content)
    return String(decoding: try encoder.encode(whole), as: UTF8.self) + "\n"
  }

  /// Returns the checksum of the content; a copy has the same, as numbers are written exactly.
  private static func checksum(_ content: Content) throws -> String {
    "fnv1a64:" + StableHash.text(of: try encoder.encode(content))
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
