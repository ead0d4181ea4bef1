internal import GRDB
public import PerfModel

extension RunStore {
  /// Keeps what a selftest found; earlier ones of the same machine stay.
  ///
  /// - Throws: `StoreError.locked`, `diskFull` or `failed`.
  public func append(_ certificate: NoiseCertificate) throws(StoreError) {
    try write { db in
      try db.execute(
        sql: "INSERT INTO certificates (machine, certified_ms, payload) VALUES (?, ?, ?)",
        arguments: [
          certificate.machine, certificate.certified.milliseconds,
          try JSONText.encode(certificate),
        ])
    }
  }

  /// Returns the latest certificate of a machine.
  ///
  /// - Parameter machine: As `Environment.machine` says.
  /// - Returns: It, or nil when no selftest was made there.
  /// - Throws: `StoreError.damaged`, `locked` or `failed`.
  public func certificate(of machine: String) throws(StoreError) -> NoiseCertificate? {
    try read { db in
      let select = """
        SELECT payload FROM certificates WHERE machine = ?
        ORDER BY certified_ms DESC, key DESC LIMIT 1
        """
      guard let text = try String.fetchOne(db, sql: select, arguments: [machine]) else {
        return nil
      }
      do {
        return try JSONText.decode(text)
      } catch {
        throw StoreError.damaged(path: path, detail: "a noise certificate cannot be read")
      }
    }
  }
}
