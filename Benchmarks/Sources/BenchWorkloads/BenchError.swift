/// An error of a workload of this program.
enum BenchError: Error, Equatable, CustomStringConvertible {
  case asked(stage: Stage)
  case noThread(code: Int32)

  /// The failure and its reason.
  var description: String {
    switch self {
    case .asked(let stage):
      "the parameter 'stage' asks for a failure in the stage '\(stage.rawValue)'"
    case .noThread(let code): "cannot start a thread: error \(code)"
    }
  }
}

/// The stage in which a workload fails.
enum Stage: String, CaseIterable {
  case setup
  case prepare
  case measure
}
