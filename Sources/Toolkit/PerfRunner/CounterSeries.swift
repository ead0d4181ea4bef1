internal import PerfModel
internal import PerfProfile

/// Converts the counters of a worker to time series.
enum CounterSeries {
  /// Creates a series for each counter with more than one value.
  ///
  /// - Parameters:
  ///   - values: The values in order of time.
  ///   - workload: The declarations of counters; undeclared counters are counts.
  ///   - began: Zero of the series in CLOCK_MONOTONIC; earlier values are left out.
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
