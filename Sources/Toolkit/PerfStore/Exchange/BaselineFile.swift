public import PerfModel

/// A baseline as a file for another store: its runs with their metrics and environments.
///
/// It contains no profiles, frames and series, because baselines are compared by metrics alone.
public struct BaselineFile: Sendable {
  /// The format that this program writes.
  public static let schema = "perfkit.baseline/1"
  /// The maximum size in bytes.
  public static let largestSize = ChecksummedFile.largestSize

  /// The baseline's name.
  public let name: String
  /// The time of the last save.
  public let saved: Timestamp
  /// The runs in order, at least one.
  public let runs: [Run]

  private struct Content: ChecksummedContent {
    static let schema = BaselineFile.schema
    static let member = "baseline"
    static let writer = "perfkit baseline export"

    let name: String
    let saved: Int64
    let runs: [RunRecord]
  }
}

extension BaselineFile {
  /// Reads and checks a file; the path is for messages.
  ///
  /// - Throws: `StoreError.notImportable`.
  public init(_ bytes: [UInt8], path: String) throws(StoreError) {
    func refused(_ cause: String) -> StoreError { .notImportable(path: path, cause: cause) }
    let content: Content
    do {
      content = try ChecksummedFile.content(of: bytes)
    } catch {
      throw refused(error.cause + (error.isOtherVersion ? ". Use the perfkit that wrote it" : ""))
    }
    do {
      runs = try content.runs.map { record in try record.run() }
      try StoredName.check(content.name)
    } catch let problem as RecordProblem {
      throw refused(problem.text)
    } catch {
      throw refused("\(error)")
    }
    guard !runs.isEmpty, Set(runs.map(\.id)).count == runs.count else {
      throw refused("it contains no run, or one run twice")
    }
    name = content.name
    saved = Timestamp(milliseconds: content.saved)
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
    try ChecksummedFile.text(of: Content(name: name, saved: saved.milliseconds, runs: runs))
  }
}
