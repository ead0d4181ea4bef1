internal import GRDB
public import PerfModel

extension RunStore {
  /// Returns a run by its whole id.
  ///
  /// - Parameters:
  ///   - id: The id, not a prefix of it; `run(_:)` of a reference finds that.
  ///   - contents: Which bulky parts to load; what is left out is empty or nil in the run.
  ///   - metric: The only metric whose values to load; nil for all of them.
  /// - Returns: The run; one that was begun and not finished counts as interrupted.
  /// - Throws: `StoreError.unknownRun`, `damaged`, `locked` or `failed`.
  public func run(
    id: String, including contents: RunContents = .all, metric: String? = nil
  ) throws(StoreError) -> Run {
    try runs(ids: [id], including: contents, metric: metric)[0]
  }

  /// Returns runs by their whole ids, in that order; what they share is read once.
  ///
  /// - Parameters:
  ///   - ids: The ids.
  ///   - contents: Which bulky parts to load.
  ///   - metric: The only metric whose values to load; nil for all of them.
  /// - Returns: As many runs as ids.
  /// - Throws: As `run(id:including:metric:)`.
  public func runs(
    ids: [String], including contents: RunContents = .all, metric: String? = nil
  ) throws(StoreError) -> [Run] {
    try read { db in
      let known = KnownMetrics()
      let select = try db.cachedStatement(sql: "SELECT key FROM runs WHERE id = ?")
      return try ids.map { id in
        guard let key = try Int64.fetchOne(select, arguments: [id]) else {
          throw StoreError.unknownRun(id: id)
        }
        return try RunReader(
          db: db, path: path, id: id, key: key, contents: contents, metric: metric, known: known
        ).run()
      }
    }
  }

  /// Returns what lists show of a run, by its whole id.
  ///
  /// - Throws: `StoreError.unknownRun`, `damaged`, `locked` or `failed`.
  public func header(id: String) throws(StoreError) -> RunHeader {
    try read { db in
      guard let header = try HeaderReader(db: db, path: path).header(id: id) else {
        throw StoreError.unknownRun(id: id)
      }
      return header
    }
  }

  /// Returns the runs that fit a filter, the latest first.
  ///
  /// - Throws: `StoreError.damaged`, `locked` or `failed`.
  public func headers(_ filter: RunFilter = RunFilter()) throws(StoreError) -> [RunHeader] {
    try read { db in try HeaderReader(db: db, path: path).headers(filter) }
  }
}
