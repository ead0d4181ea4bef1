internal import Foundation
internal import GRDB
internal import PerfModel

struct LaunchReader {
  let reader: RunReader

  func launches() throws -> [Launch] {
    let metrics = try values()
    let series = reader.contents.contains(.series) ? try series() : [:]
    let frames = try blobs(.frames, "frames", FrameCodec.decode)
    let spans = try blobs(.spans, "spans", SpanCodec.decode)
    let sql = """
      SELECT key, number, is_warmup, status, signal, message, offset_ns, began_ns FROM iterations
      WHERE run = ? ORDER BY number
      """
    return try reader.rows(sql) { row in
      let key: Int64 = try row.decode(atIndex: 0)
      let number: Int = try row.decode(atIndex: 1)
      guard
        let status = Self.status(
          try row.decode(atIndex: 3), signal: try row.decode(atIndex: 4),
          message: try row.decode(atIndex: 5))
      else {
        throw reader.damaged("the status of launch \(number) is unknown")
      }
      let offset: Int64 = try row.decode(atIndex: 6)
      return Launch(
        index: number, isWarmup: try row.decode(atIndex: 2), status: status,
        offset: UInt64(bitPattern: offset),
        metrics: metrics[key] ?? [:], series: series[key] ?? [], frames: frames[key] ?? [],
        began: try row.decode(Int64?.self, atIndex: 7).map(UInt64.init(bitPattern:)),
        spans: spans[key] ?? [])
    }
  }

  /// Returns the values of the requested metrics by launch.
  private func values() throws -> [Int64: [String: Double]] {
    let nameByKey = try reader.known.metricNames(reader.db)
    var sql = """
      SELECT iteration, metric, value FROM metric_values
      WHERE iteration IN (SELECT key FROM iterations WHERE run = ?)
      """
    if let metric = reader.metric {
      // Names are compared in Swift, where they are equal in any Unicode normal form.
      let keys = nameByKey.filter { $0.value == metric }.keys.sorted().map { "\($0)" }
      sql += " AND metric IN (\(keys.joined(separator: ", ")))"
    }
    var metrics: [Int64: [String: Double]] = [:]
    try reader.each(sql) { row in
      let launch: Int64 = try row.decode(atIndex: 0)
      guard let name = nameByKey[try row.decode(atIndex: 1)] else {
        throw reader.damaged("a metric has no name")
      }
      metrics[launch, default: [:]][name] = try row.decode(Double?.self, atIndex: 2) ?? .nan
    }
    return metrics
  }

  private func series() throws -> [Int64: [TimeSeries]] {
    let sql = """
      SELECT iteration, name, dimension, data FROM series
      WHERE iteration IN (SELECT key FROM iterations WHERE run = ?) ORDER BY iteration, position
      """
    var result: [Int64: [TimeSeries]] = [:]
    try reader.each(sql) { row in
      let launch: Int64 = try row.decode(atIndex: 0)
      let name: String = try row.decode(atIndex: 1)
      guard let dimension = Dimension(rawValue: try row.decode(atIndex: 2)) else {
        throw reader.damaged("the dimension of series \(name) is unknown")
      }
      let data: Data = try row.decode(atIndex: 3)
      let (times, values) = try reader.decode("series \(name)") {
        try SeriesCodec.decode([UInt8](data))
      }
      result[launch, default: []].append(
        TimeSeries(name: name, dimension: dimension, times: times, values: values))
    }
    return result
  }

  /// Returns the decoded blob of each launch that has one in a table, if the part is requested.
  private func blobs<Content>(
    _ part: RunContents, _ table: String, _ decode: ([UInt8]) throws -> Content
  ) throws -> [Int64: Content] {
    guard reader.contents.contains(part) else { return [:] }
    let sql = """
      SELECT iteration, data FROM \(table)
      WHERE iteration IN (SELECT key FROM iterations WHERE run = ?)
      """
    var result: [Int64: Content] = [:]
    try reader.each(sql) { row in
      let launch: Int64 = try row.decode(atIndex: 0)
      let data: Data = try row.decode(atIndex: 1)
      result[launch] = try reader.decode("a list of \(table)") { try decode([UInt8](data)) }
    }
    return result
  }

  static func status(_ name: String, signal: Int32?, message: String?) -> Launch.Status? {
    switch name {
    case "completed": .completed
    case "crashed": signal.map(Launch.Status.crashed)
    case "timed out": .timedOut
    case "jetsam": .jetsam
    case "failed": message.map(Launch.Status.failed)
    case "interrupted": .interrupted
    default: nil
    }
  }
}
