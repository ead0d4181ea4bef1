/// The errors that a worker reports about its input and its counters.
enum WorkloadError: Error, Equatable {
  case unknownParameter(name: String, known: [String])
  case badParameter(name: String, value: String, expected: String)
  case unknownWorkload(name: String, known: [String])
  case unknownCounter(name: String, known: [String])
  case badCounter(name: String, value: Double)
  case outOfOrder(message: String, expected: String)
  case noThread(reason: String)
}

extension WorkloadError: CustomStringConvertible {
  /// What failed, on which object, why, and what to do next.
  var description: String {
    switch self {
    case .unknownParameter(let name, let known):
      "no parameter '\(name)' is declared. Declared parameters: \(Self.list(known))."
    case .badParameter(let name, let value, let expected):
      "parameter '\(name)' is \(value) but must be \(expected)."
    case .unknownWorkload(let name, let known):
      "no workload '\(name)' exists in this worker. Its workloads: \(Self.list(known))."
    case .unknownCounter(let name, let known):
      "counter '\(name)' was reported but is not declared. Declared counters: \(Self.list(known)). "
        + "Add it to the workload's 'counters'."
    case .badCounter(let name, let value):
      "counter '\(name)' was reported as \(value). Report a finite number, or report nothing."
    case .outOfOrder(let message, let expected):
      "the harness sent '\(message)' instead of \(expected)."
    case .noThread(let reason):
      "cannot start the thread that reads the control channel: \(reason). "
        + "Raise the limit of processes (ulimit -u)."
    }
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}
