internal import Foundation
public import PerfModel

/// Items that a storage other than a store sends besides runs.
public struct ExchangedItems: Sendable {
  /// A baseline with the ids of its runs.
  public struct Baseline: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The time of the last save.
    public let saved: Timestamp
    /// The ids of the runs in order, at least one.
    public let runs: [String]

    /// Creates a baseline.
    public init(name: String, saved: Timestamp, runs: [String]) {
      self.name = name
      self.saved = saved
      self.runs = runs
    }
  }

  /// Comparisons.
  public var comparisons: [StoredComparison] = []
  /// Decisions; one with the number 0 receives the next number.
  public var decisions: [Decision] = []
  /// Baselines.
  public var baselines: [Baseline] = []

  /// Creates an empty list of items.
  public init() {}
}

/// A run as text for a storage other than SQLite, without profile, series, frames and spans.
public struct RunText: Hashable, Sendable {
  /// JSON with sorted keys in UTF-8; equal measurements have equal texts.
  public let json: [UInt8]

  /// A hash of the text in hexadecimal digits; it detects accidents alone.
  public var digest: String { StableHash.text(of: json) }

  /// Creates a text from JSON of another storage, unchecked.
  public init(json: [UInt8]) { self.json = json }

  /// Creates the text of a run.
  ///
  /// - Throws: `StoreError.unstorable` if JSON cannot represent a value.
  public init(_ run: Run) throws(StoreError) {
    do {
      json = Array(try JSONText.encode(RunRecord(run)).utf8)
    } catch {
      throw .unstorable(run: run.id, reason: "it has a value that JSON cannot represent")
    }
  }

  /// Returns the content, unchecked.
  ///
  /// - Throws: `DecodingError`, or the error of an invalid JSON.
  func record() throws -> RunRecord {
    try JSONText.decode(String(decoding: json, as: UTF8.self))
  }

  /// Returns whether the text is the measurement of a run, whichever version wrote it.
  ///
  /// - Throws: `StoreError.notImportable` for an invalid text.
  public func isMeasurement(of run: Run, from origin: String) throws(StoreError) -> Bool {
    RunRecord(try RunTextReader().run(self, from: origin)).isSameMeasurement(as: RunRecord(run))
  }
}
