internal import Foundation
internal import GRDB
internal import PerfModel

extension RunWriter {
  /// Inserts launches, which the run lacks.
  func insert(_ launches: [Launch], run: Int64) throws {
    guard let first = launches.map(\.index).min() else { return }
    try shared.insertRows(
      into: "iterations (run, number, is_warmup, status, signal, message, offset_ns, began_ns)",
      launches.flatMap { launch -> [DatabaseValue] in
        let (status, signal, message) = Self.stored(launch.status)
        return [
          run.databaseValue, launch.index.databaseValue, launch.isWarmup.databaseValue,
          status.databaseValue, signal.databaseValue, message.databaseValue,
          Int64(bitPattern: launch.offset).databaseValue,
          launch.began.map(Int64.init(bitPattern:)).databaseValue,
        ]
      }, db)
    let select = try db.cachedStatement(
      sql: "SELECT number, key FROM iterations WHERE run = ? AND number >= ?")
    var keys: [Int: Int64] = [:]
    for row in try Row.fetchAll(select, arguments: [run, first]) {
      let (number, key): (Int, Int64) = (row[0], row[1])
      keys[number] = key
    }
    var values: [DatabaseValue] = []
    for launch in launches {
      guard let key = keys[launch.index] else { continue }
      try append(launch.metrics, iteration: key, to: &values)
    }
    try shared.insertRows(into: "metric_values (iteration, metric, value)", values, db)
    for launch in launches where launch.hasRecordings {
      guard let key = keys[launch.index] else { continue }
      try insertRecordings(of: launch, iteration: key)
    }
  }

  /// Appends the values of a launch in the order of their rows.
  private func append(
    _ metrics: [String: Double], iteration: Int64, to values: inout [DatabaseValue]
  ) throws {
    var rows: [(metric: Int64, value: Double)] = []
    rows.reserveCapacity(metrics.count)
    var others: [String] = []
    for (name, value) in metrics {
      if let key = shared.metrics[name] {
        rows.append((key, value))
      } else {
        others.append(name)
      }
    }
    // New metrics receive their keys in the order of their names, so that equal runs make equal files.
    for name in others.sorted() {
      rows.append((try key(ofMetric: name), metrics[name] ?? .nan))
    }
    rows.sort { $0.metric < $1.metric }
    for row in rows {
      values.append(iteration.databaseValue)
      values.append(row.metric.databaseValue)
      // SQLite stores NaN as NULL, which is read as NaN.
      values.append(row.value.databaseValue)
    }
  }

  /// Inserts the series, frames and spans of a launch.
  func insertRecordings(of launch: Launch, iteration key: Int64) throws {
    try db.insertList(
      into: "series (iteration, position, name, dimension, points, data)", key, launch.series
    ) {
      [
        $0.name, $0.dimension.rawValue, $0.times.count,
        Data(SeriesCodec.encode(times: $0.times, values: $0.values)),
      ]
    }
    if !launch.frames.isEmpty {
      let data = Data(FrameCodec.encode(launch.frames))
      try db.insertRow(into: "frames (iteration, frames, data)", [key, launch.frames.count, data])
    }
    if !launch.spans.isEmpty {
      let data = Data(SpanCodec.encode(launch.spans))
      try db.insertRow(into: "spans (iteration, spans, data)", [key, launch.spans.count, data])
    }
  }
}

extension Launch {
  /// Whether the launch has series, frames or spans.
  var hasRecordings: Bool { !series.isEmpty || !frames.isEmpty || !spans.isEmpty }
}
