/// What the workloads of this program fail with.
enum BenchError: Error, Equatable, CustomStringConvertible {
  case asked(stage: Stage)
  case noThread(code: Int32)

  /// What failed and why.
  var description: String {
    switch self {
    case .asked(let stage): "it was asked to fail in the stage '\(stage.rawValue)'"
    case .noThread(let code): "cannot start a thread: error \(code)"
    }
  }
}

/// Where a workload goes wrong.
enum Stage: String, CaseIterable {
  case setup
  case prepare
  case measure
}
