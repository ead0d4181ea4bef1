internal import FoundationEssentials

/// What the harness says to the worker; `PROTOCOL.md` is the contract.
enum HarnessMessage: Equatable {
  case setup(WorkOrder)
  case prepare(WorkOrder, iteration: Int, scratch: String)
  case measure
  case pressure(PressureLevel, fraction: Double)
  case quit

  /// What is to be done.
  struct WorkOrder: Equatable {
    var workload: String
    var parameters: [String: ParameterValue]
    var seed: UInt64
    var cache: String
  }

  /// The name of its type in the protocol.
  var type: String {
    switch self {
    case .setup: "setup"
    case .prepare: "prepare"
    case .measure: "measure"
    case .pressure: "pressure"
    case .quit: "quit"
    }
  }

  /// Reads a line.
  ///
  /// - Throws: `WorkloadError.badMessage` when it is no message of this protocol.
  init(line: [UInt8]) throws(WorkloadError) {
    func bad(_ reason: String) -> WorkloadError {
      .badMessage(line: String(decoding: line.prefix(200), as: UTF8.self), reason: reason)
    }
    let wire: Wire
    do {
      wire = try JSONDecoder().decode(Wire.self, from: Data(line))
    } catch {
      throw bad("not a JSON object with the keys of the protocol")
    }
    switch wire.type {
    case "setup":
      guard let order = wire.order else { throw bad("workload, parameters, seed or cache missing") }
      self = .setup(order)
    case "prepare":
      guard let order = wire.order, let iteration = wire.iteration, let scratch = wire.scratch
      else {
        throw bad("workload, parameters, seed, cache, iteration or scratch missing")
      }
      self = .prepare(order, iteration: iteration, scratch: scratch)
    case "measure": self = .measure
    case "pressure":
      guard let level = wire.level.flatMap(PressureLevel.init), let fraction = wire.fraction else {
        throw bad("level unknown or fraction missing")
      }
      self = .pressure(level, fraction: fraction)
    case "quit": self = .quit
    default: throw bad("unknown type '\(wire.type)'")
    }
  }

  private struct Wire: Decodable {
    var type: String
    var workload: String?
    var parameters: [String: ParameterValue]?
    var seed: UInt64?
    var cache: String?
    var iteration: Int?
    var scratch: String?
    var level: String?
    var fraction: Double?

    var order: WorkOrder? {
      guard let workload, let parameters, let seed, let cache else { return nil }
      return WorkOrder(workload: workload, parameters: parameters, seed: seed, cache: cache)
    }
  }
}
