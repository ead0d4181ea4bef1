internal import Foundation
internal import GRDB
internal import PerfModel

extension RunWriter {
  /// Inserts launches, which the run lacks.
  func insert(_ launches: [Launch], run: Int64) throws {
    let before = try shared.reserveKeys(ofLaunches: launches.count, db)
    let rows = launches.enumerated().map { place, launch in
      (key: before &+ Int64(place) &+ 1, launch: launch)
    }
    try shared.insertRows(
      into:
        "iterations (key, run, number, is_warmup, status, signal, message, offset_ns, began_ns)",
      rows.flatMap { row -> [DatabaseValue] in
        let launch = row.launch
        let (status, signal, message) = Self.stored(launch.status)
        return [
          row.key.databaseValue, run.databaseValue, launch.index.databaseValue,
          launch.isWarmup.databaseValue, status.databaseValue, signal.databaseValue,
          message.databaseValue, Int64(bitPattern: launch.offset).databaseValue,
          launch.began.map(Int64.init(bitPattern:)).databaseValue,
        ]
      }, db)
    for row in rows { try insert(row.launch.metrics, iteration: row.key) }
    for row in rows where row.launch.hasRecordings {
      try insertRecordings(of: row.launch, iteration: row.key)
    }
  }

  /// Inserts the values of a launch in the order of their rows.
  private func insert(_ metrics: [String: Double], iteration: Int64) throws {
    if try shared.insertValues(of: metrics, iteration: iteration, db) { return }
    // New metrics receive their keys in the order of their names, so that equal runs make equal files.
    for name in metrics.keys.filter({ shared.metrics[$0] == nil }).sorted() {
      _ = try key(ofMetric: name)
    }
    let list = MetricList(
      try metrics.keys.map { (name: $0, key: try key(ofMetric: $0)) }.sorted { $0.key < $1.key })
    shared.metricList = list
    try shared.insertRows(
      into: "metric_values (iteration, metric, value)",
      list.metrics.flatMap { metric in
        [
          iteration.databaseValue, metric.key.databaseValue, metrics[metric.name].databaseValue,
        ]
      }, db)
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
