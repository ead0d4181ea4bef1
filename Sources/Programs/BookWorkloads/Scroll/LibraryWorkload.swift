internal import PerfWorkload

/// A workload whose data are a library with covers.
protocol LibraryWorkload: Workload {}

extension LibraryWorkload {
  static func setup(_ context: SetupContext) throws -> SetupResult {
    try BookDataset(context).setUp(context)
  }
}

/// Whether the frames of a workload wait for the display.
enum FramePacing: String, CaseIterable {
  /// Each frame waits for its refresh.
  case paced
  /// Frames follow each other without waiting.
  case unpaced
}

// Parameters with the same meaning and default value in several workloads.
extension Workload {
  static var columns: Parameter<Int> {
    Parameter("columns", default: 3, in: 1...5, "Books per row.")
  }
  static var refresh: Parameter<Double> {
    Parameter("refresh", default: 120.0, in: 1...1_000, "Refresh rate of the display, in hertz.")
  }
  static var fling: Parameter<Double> {
    Parameter("fling", default: 4_000.0, in: 100...100_000, "Peak speed, in points per second.")
  }
  static var clock: Parameter<FramePacing> {
    Parameter("clock", default: .paced, "Whether frames wait for their refresh.")
  }
  static var loads: Parameter<Int> { ScrollOptions.loads }
  static var nice: Parameter<Int> { ScrollOptions.nice }
}
