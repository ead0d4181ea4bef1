/// The results of a part of a gate that one of several machines measured.
public struct HubShard: Hashable, Sendable {
  /// The number of the shard, from 1.
  public let number: Int
  /// The number of all shards.
  public let count: Int
  /// The bytes of the file that `gate --shard` writes.
  public let content: [UInt8]

  /// Creates a shard.
  public init(number: Int, count: Int, content: [UInt8]) {
    (self.number, self.count, self.content) = (number, count, content)
  }
}

extension Hub {
  /// Pushes the results of a shard, which replace its earlier results.
  ///
  /// - Parameters:
  ///   - shard: The shard.
  ///   - gate: The name of the gate, which its shards share.
  /// - Throws: `HubError`, `CancellationError`.
  public func push(_ shard: HubShard, ofGate gate: String) throws {
    try connection.run(
      """
      INSERT INTO perfkit.shards (gate, count, number, content, content_size)
      VALUES ($1, $2::integer, $3::integer, $4, $5::integer)
      ON CONFLICT (gate, count, number) DO UPDATE SET content = excluded.content,
        content_size = excluded.content_size, pushed = now(), pushed_by = session_user
      """,
      [
        .text(gate), .int(Int64(shard.count)), .int(Int64(shard.number)),
        .bytes(Compression.compressed(shard.content)), .int(Int64(shard.content.count)),
      ])
  }

  /// Returns the shards of a gate in order; if it was split several times, those of the latest split.
  ///
  /// - Throws: `HubError`, `CancellationError`.
  public func shards(ofGate gate: String) throws -> [HubShard] {
    let rows = try connection.run(
      """
      SELECT number::text, count::text, content, content_size::text FROM perfkit.shards
      WHERE gate = $1 AND count = (
        SELECT count FROM perfkit.shards WHERE gate = $1 ORDER BY pushed DESC, count LIMIT 1)
      ORDER BY number
      """, [.text(gate)])
    return try (0..<rows.count).map { row in
      let number = Int(rows.int(row, 0) ?? 0)
      guard let compressed = rows.bytes(row, 2), let size = rows.int(row, 3),
        let content = Compression.content(of: compressed, size: Int(size))
      else {
        throw HubError.damaged(
          hub: name, detail: "the content of shard \(number) of gate \(gate) cannot be read")
      }
      return HubShard(number: number, count: Int(rows.int(row, 1) ?? 0), content: content)
    }
  }
}
