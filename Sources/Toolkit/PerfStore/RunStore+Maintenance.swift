internal import Foundation
internal import GRDB
internal import PerfModel

extension RunStore {
  /// Looks for damage: pages, foreign keys, every run by loading it, and what else is kept as JSON.
  ///
  /// - Returns: What is wrong, one sentence each; empty when all is well.
  /// - Throws: `StoreError.locked` or `failed`.
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
        "row \((row[1] as Int64?).map(String.init) ?? "?") of table \(row[0] as String) belongs to "
          + "nothing in table \(row[2] as String)"
      }
      return pages + adrift + (try runs.compactMap(problem(withRun:))) + texts
    } catch {
      // What is too broken to be listed is a finding as well.
      guard case .damaged(_, let detail) = error as? StoreError else { throw Self.own(error) }
      return [detail]
    }
  }

  private func problem(withRun id: String) throws -> String? {
    do {
      _ = try run(id: id)
      return nil
    } catch .damaged(_, let detail) {
      return detail
    } catch .unknownRun {
      // Another process has removed it meanwhile.
      return nil
    }
  }

  /// Names the comparisons, decisions and certificates whose JSON cannot be read.
  private static func unreadableTexts(_ db: Database) throws -> [String] {
    func findings<Content: Decodable>(_ type: Content.Type, _ sql: String) throws -> [String] {
      try Row.fetchAll(db, sql: sql).compactMap { row -> String? in
        let (finding, text): (String, String) = (row[0], row[1])
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
  }

  private static func own(_ error: any Error) -> StoreError {
    error as? StoreError ?? .failed(path: "", cause: "\(error)")
  }

  /// Writes a compact copy of the store into a file that does not exist yet.
  ///
  /// Other processes may write meanwhile; the copy is of one moment. Nothing has its name before it
  /// is whole.
  ///
  /// - Throws: `StoreError.notWritable` or `diskFull` (of the copy), `damaged`, `locked` or `failed`.
  public func backUp(to destination: String) throws(StoreError) {
    let file = StoreFile(path: destination)
    if FileManager.default.fileExists(atPath: file.path) {
      throw .notWritable(path: file.path, cause: "a file of that name exists")
    }
    try file.prepareForWriting()
    let part = file.pathOfPart
    defer {
      for ending in ["", "-journal"] { try? FileManager.default.removeItem(atPath: part + ending) }
    }
    do {
      try database.inDatabase { db in
        try db.execute(sql: "VACUUM INTO ?", arguments: [part])
      }
    } catch {
      let found = ErrorTranslation(path: file.path, timeout: timeout)(error)
      switch found {
      // These are of what is read, all others of what is written.
      case .damaged, .locked: throw ErrorTranslation(path: path, timeout: timeout)(error)
      default: throw found
      }
    }
    do {
      try FileManager.default.moveItem(atPath: part, toPath: file.path)
    } catch {
      throw .notWritable(
        path: file.path, cause: ErrorReason.clause(error.localizedDescription))
    }
  }

  /// Gives unused space back to the disk.
  ///
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`.
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
