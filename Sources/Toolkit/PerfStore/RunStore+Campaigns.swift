internal import GRDB
public import PerfModel

extension RunStore {
  /// Saves a campaign; a new one gets the next number.
  ///
  /// - Returns: The campaign with its number.
  public func save(_ campaign: Campaign) throws(StoreError) -> Campaign {
    try write { db in
      var campaign = campaign
      if campaign.number == 0 {
        let last = try Int.fetchOne(db, sql: "SELECT max(number) FROM campaigns")
        campaign.number = (last ?? 0) + 1
      }
      try db.execute(
        sql: """
          INSERT INTO campaigns (number, scenario, started_ms, payload) VALUES (?, ?, ?, ?)
          ON CONFLICT (number) DO UPDATE SET payload = excluded.payload
          """,
        arguments: [
          campaign.number, campaign.scenario, campaign.started.milliseconds,
          try JSONText.encode(campaign),
        ])
      return campaign
    }
  }

  /// Returns the latest campaign of a scenario, or of all scenarios; nil if there is none.
  public func campaign(of scenario: String? = nil) throws(StoreError) -> Campaign? {
    try read { db in
      let select = """
        SELECT number, payload FROM campaigns WHERE ?1 IS NULL OR scenario = ?1
        ORDER BY number DESC LIMIT 1
        """
      return try Row.fetchOne(db, sql: select, arguments: [scenario]).map { row in
        let text: String = try row.decode(atIndex: 1)
        guard let campaign = try? JSONText.decode(text) as Campaign else {
          let number: Int = try row.decode(atIndex: 0)
          throw StoreError.damaged(path: path, detail: "campaign \(number) cannot be read")
        }
        return campaign
      }
    }
  }
}
