internal import PerfModel
internal import PerfProfile

/// Makes time series of the counters that a worker wrote while it was measured.
enum CounterSeries {
  /// Makes one series for each counter that was written more than once.
  ///
  /// - Parameters:
  ///   - values: In order of time.
  ///   - workload: Its declarations say what the values measure; others count as counts.
  ///   - began: Zero of the series, CLOCK_MONOTONIC; earlier values are left out.
  /// - Returns: The series by name.
  static func make(
    _ values: [Capture.Value], _ workload: WorkerDescription.Workload?, from began: UInt64
  ) -> [TimeSeries] {
    Dictionary(grouping: values.filter { $0.time >= began }, by: \.name)
      .filter { $0.value.count > 1 }
      .map { name, values in
        let dimension = workload?.counters.first { $0.name == name }?.dimension ?? .count
        return TimeSeries(
          name: name, dimension: dimension, times: values.map { $0.time - began },
          values: values.map(\.value))
      }
      .sorted { $0.name < $1.name }
  }
}
