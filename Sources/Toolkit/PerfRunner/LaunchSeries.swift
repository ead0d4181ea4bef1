internal import PerfModel
internal import PerfProfile

/// The series of a launch, from the values of its counters.
struct LaunchSeries {
  /// The most series of a launch: each is a line of charts, and rows of the store.
  static let most = 1000
  /// The most values of all series of a launch; later values are dropped.
  ///
  /// A worker that counts in a tight loop must not fill the store. This number takes 2 MB, and suffices for
  /// 20 counters that change 120 times a second for 100 seconds.
  static let mostValues = 250_000

  /// A series for each counter with more than one value, by name.
  let series: [TimeSeries]
  let warnings: [RunWarning]

  /// Creates the series of values in the order of time.
  ///
  /// Counters that the workload does not declare are counts.
  ///
  /// - Parameters:
  ///   - values: The values from the start of the measured phase on.
  ///   - began: The start of the measured phase in CLOCK_MONOTONIC nanoseconds.
  ///   - declared: The declared counters.
  init(_ values: [Capture.Value], from began: UInt64, declared: [MetricDefinition]) {
    let names = Set(values.lazy.map(\.name))
    let kept = names.count <= Self.most ? names : Set(names.sorted().prefix(Self.most))
    let known = values.prefix(Self.mostValues).filter { kept.contains($0.name) }
    series = Dictionary(grouping: known, by: \.name).filter { $0.value.count > 1 }
      .map { name, values in
        TimeSeries(
          name: name, dimension: declared.first { $0.name == name }?.dimension ?? .count,
          times: values.map { $0.time - began }, values: values.map(\.value))
      }
      .sorted { $0.name < $1.name }
    let lost = values.count - known.count
    warnings =
      lost == 0
      ? []
      : [
        RunWarning(
          code: "series.left_out",
          message:
            "\(NumberFormat.grouped(lost)) values of \(NumberFormat.grouped(names.count)) counters of "
            + "a launch are not stored as series",
          remedy: "Set counters less often. Final values are not affected.")
      ]
  }
}
