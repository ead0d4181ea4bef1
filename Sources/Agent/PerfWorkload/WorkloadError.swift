/// What a worker can be told wrongly, or tell wrongly itself.
public enum WorkloadError: Error, Equatable {
  case unknownParameter(name: String, known: [String])
  case badParameter(name: String, value: String, expected: String)
  case unknownWorkload(name: String, known: [String])
  case unknownCounter(name: String, known: [String])
  case badCounter(name: String, value: Double)
  case badMessage(line: String, reason: String)
  case outOfOrder(message: String, expected: String)
  case noThread(reason: String)
}

extension WorkloadError: CustomStringConvertible {
  /// What failed, on what, why, and what to do.
  public var description: String {
    switch self {
    case .unknownParameter(let name, let known):
      "no parameter '\(name)' is declared. Known: \(Self.list(known))."
    case .badParameter(let name, let value, let expected):
      "the parameter '\(name)' is \(value) and must be \(expected)."
    case .unknownWorkload(let name, let known):
      "there is no workload '\(name)' here. Known: \(Self.list(known))."
    case .unknownCounter(let name, let known):
      "the counter '\(name)' was reported but is not declared. Declared: \(Self.list(known)). "
        + "Add it to the workload's counters."
    case .badCounter(let name, let value):
      "the counter '\(name)' was reported as \(value). Report a finite number, or nothing."
    case .badMessage(let line, let reason):
      "the harness sent a line that is no message of this protocol (\(reason)): \(line)"
    case .outOfOrder(let message, let expected):
      "the harness sent '\(message)' where \(expected) was due."
    case .noThread(let reason):
      "cannot start the thread that listens to the harness: \(reason). Raise the limit of processes."
    }
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}
