internal import Foundation
public import PerfModel

/// A baseline as a file: its runs with their metrics and environments, for another store.
///
/// Profiles, frames and series are not in it: a baseline is compared by metrics alone.
public struct BaselineFile: Sendable {
  /// The version of the form that this program writes.
  public static let schema = "perfkit.baseline/1"
  /// Longer files are refused: a baseline of a thousand runs takes a tenth of it.
  public static let largestSize = 256 << 20

  /// The baseline's name.
  public let name: String
  /// When it was last saved.
  public let saved: Timestamp
  /// Its runs in order, at least one.
  public let runs: [Run]

  /// What the checksum is of.
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

  /// Creates a file's content.
  init(name: String, saved: Timestamp, runs: [Run]) {
    self.name = name
    self.saved = saved
    self.runs = runs
  }

  /// Reads and checks a file.
  ///
  /// - Parameters:
  ///   - bytes: The file's content.
  ///   - path: Where it lies, for messages.
  /// - Throws: `StoreError.notImportable`.
  public init(_ bytes: [UInt8], path: String) throws(StoreError) {
    func refused(_ cause: String) -> StoreError { .notImportable(path: path, cause: cause) }
    guard bytes.count <= Self.largestSize else { throw refused("it is too large to be a baseline") }
    let data = Data(bytes)
    guard let header = try? JSONDecoder().decode(Header.self, from: data),
      header.schema.hasPrefix("perfkit.baseline/")
    else { throw refused("it is no baseline that 'perfkit baseline export' wrote") }
    guard header.schema == Self.schema else {
      throw refused(
        "its form is \(header.schema.prefix(40)), and this perfkit knows \(Self.schema); use the "
          + "perfkit that wrote it")
    }
    let whole: Whole
    do {
      whole = try JSONDecoder().decode(Whole.self, from: data)
    } catch {
      throw refused("a part of it is missing or of another kind")
    }
    guard (try? Self.checksum(whole.baseline)) == whole.checksum else {
      throw refused("its checksum does not agree with its content: it was cut off or changed")
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
      throw refused("it has no run, or one twice")
    }
    name = whole.baseline.name
    saved = Timestamp(milliseconds: whole.baseline.saved)
  }

  /// Returns the file's content: JSON with its keys in order.
  ///
  /// - Throws: `StoreError.unstorable` when a run has a value that is no finite number.
  public func text() throws(StoreError) -> String {
    for run in runs {
      let wrong = run.launches.lazy.flatMap(\.metrics).first { !$0.value.isFinite }
      if let wrong {
        throw .unstorable(run: run.id, reason: "its \(wrong.key) has a value that is no number")
      }
    }
    do {
      return try Self.text(of: runs.map(RunRecord.init), name: name, saved: saved)
    } catch {
      throw .unstorable(run: runs[0].id, reason: "it has a value that JSON cannot hold")
    }
  }

  /// Returns the text of a file of these records.
  static func text(of runs: [RunRecord], name: String, saved: Timestamp) throws -> String {
    let content = Content(name: name, saved: saved.milliseconds, runs: runs)
    let whole = Whole(schema: schema, checksum: try checksum(content), baseline: content)
    return String(decoding: try encoder.encode(whole), as: UTF8.self) + "\n"
  }

  /// Numbers are written so that they read back exactly; so what was read gives the same text again.
  private static func checksum(_ content: Content) throws -> String {
    "fnv1a64:" + StableHash.text(of: try encoder.encode(content))
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
