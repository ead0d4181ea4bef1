internal import Foundation
internal import GRDB
internal import PerfModel

extension RunStore {
  /// Returns a sentence for each damage of pages, foreign keys, runs and JSON.
  public func check() throws(StoreError) -> [String] {
    do {
      let (pages, keys, runs, texts) = try read { db in
        (
          try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" },
          try Row.fetchAll(db, sql: "PRAGMA foreign_key_check"),
          try String.fetchAll(db, sql: "SELECT id FROM runs ORDER BY started_ms, key"),
          try Self.unreadableTexts(db)
        )
      }
      let adrift = keys.map { row in
        "row \((row[1] as Int64?).map(String.init) ?? "?") of table \(row[0] as String) refers "
          + "to a missing row of table \(row[2] as String)"
      }
      var problems = pages + adrift
      for run in runs { if let problem = try problem(withRun: run) { problems.append(problem) } }
      return problems + texts
    } catch .damaged(_, let detail) {
      // Damage that prevents the listing is a problem as well.
      return [detail]
    }
  }

  private func problem(withRun id: String) throws(StoreError) -> String? {
    do {
      _ = try run(id: id)
      return nil
    } catch .damaged(_, let detail) {
      return detail
    } catch .unknownRun {
      // Another process has removed the run.
      return nil
    }
  }

  /// Returns the comparisons, decisions, certificates and campaigns with invalid JSON.
  private static func unreadableTexts(_ db: Database) throws -> [String] {
    func findings<Content: Decodable>(_ type: Content.Type, _ sql: String) throws -> [String] {
      try Row.fetchAll(db, sql: sql).compactMap { row -> String? in
        let finding: String = try row.decode(atIndex: 0)
        let text: String = try row.decode(atIndex: 1)
        return (try? JSONText.decode(text) as Content) == nil ? finding : nil
      }
    }
    return try findings(
      ComparisonDesign.self,
      "SELECT 'the design of comparison ' || id || ' cannot be read', design FROM comparisons")
      + findings(
        Decision.self,
        "SELECT 'decision ' || number || ' cannot be read', payload FROM decisions")
      + findings(
        NoiseCertificate.self,
        "SELECT 'a noise certificate cannot be read', payload FROM certificates")
      + findings(
        Campaign.self,
        "SELECT 'campaign ' || number || ' cannot be read', payload FROM campaigns")
  }

  /// Writes a compact copy of the store to a new file.
  ///
  /// Other processes may write at the same time; the copy is a snapshot. The file gets its name
  /// when it is complete.
  ///
  /// - Throws: `StoreError.notWritable` or `diskFull` (of the copy).
  public func backUp(to destination: String) throws(StoreError) {
    let file = StoreFile(path: destination)
    if FileManager.default.fileExists(atPath: file.path) {
      throw .exists(path: file.path)
    }
    try file.prepareForWriting()
    let part = try PartFile(of: file.path)
    try copy(to: part, of: file.path)
    try part.rename(to: file.path)
  }

  /// Writes a compact copy of the store to an empty part of a file.
  ///
  /// - Throws: `StoreError.notWritable` or `diskFull` (of the file).
  func copy(to part: PartFile, of path: String) throws(StoreError) {
    do {
      try database.inDatabase { db in
        try db.execute(sql: "VACUUM INTO ?", arguments: [part.path])
      }
    } catch {
      let found = ErrorTranslation(path: path, timeout: timeout)(error)
      switch found {
      // These errors concern the source, all others the copy.
      case .damaged, .locked: throw ErrorTranslation(path: self.path, timeout: timeout)(error)
      default: throw found
      }
    }
  }

  /// Returns unused space to the file system.
  public func vacuum() throws(StoreError) {
    do {
      try database.inDatabase { db in
        try db.execute(sql: "VACUUM")
        try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
    } catch {
      throw ErrorTranslation(path: path, timeout: timeout)(error)
    }
  }
}
