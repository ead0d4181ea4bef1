/// A message from the harness to a worker.
///
/// `Sources/Agent/PROTOCOL.md` specifies the protocol.
package enum HarnessMessage: Equatable, Sendable {
  case setup(WorkOrder)
  case prepare(WorkOrder, launch: Int, scratch: String)
  case measure
  case pressure(MemoryPressure)
  case quit

  /// The workload to run, with its input.
  package struct WorkOrder: Equatable, Sendable, Codable {
    /// The name of the workload.
    package let workload: String
    /// The parameters, complete and checked by the harness.
    package let parameters: [String: ParameterValue]
    /// The seed of the run.
    package let seed: UInt64
    /// The absolute path of the folder that is kept between runs.
    package let cache: String

    package init(
      workload: String, parameters: [String: ParameterValue], seed: UInt64, cache: String
    ) {
      self.workload = workload
      self.parameters = parameters
      self.seed = seed
      self.cache = cache
    }
  }

  /// The memory of the simulated device at one moment, in bytes.
  package struct MemoryPressure: Equatable, Sendable, Codable {
    package let level: PressureLevel
    /// The used fraction of the budget; above 1 when more than the budget is used.
    package let fraction: Double
    package let budget: UInt64?
    /// The memory that the worker uses.
    package let footprint: UInt64?
    /// The memory that the simulated other programs use.
    package let ballast: UInt64?

    package init(
      level: PressureLevel, fraction: Double, budget: UInt64? = nil, footprint: UInt64? = nil,
      ballast: UInt64? = nil
    ) {
      self.level = level
      self.fraction = fraction
      self.budget = budget
      self.footprint = footprint
      self.ballast = ballast
    }
  }

  /// The value of the message's `type` key.
  package enum Kind: String, Codable {
    case setup
    case prepare
    case measure
    case pressure
    case quit
  }

  package var kind: Kind {
    switch self {
    case .setup: .setup
    case .prepare: .prepare
    case .measure: .measure
    case .pressure: .pressure
    case .quit: .quit
    }
  }
}

extension HarnessMessage: ControlMessage {
  private enum Key: String, CodingKey {
    case type
    case launch = "iteration"
    case scratch
  }

  /// Reads the message of the `type` key; ignores unknown keys.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    switch try values.decode(Kind.self, forKey: .type) {
    case .setup: self = .setup(try WorkOrder(from: decoder))
    case .prepare:
      self = .prepare(
        try WorkOrder(from: decoder), launch: try values.decode(Int.self, forKey: .launch),
        scratch: try values.decode(String.self, forKey: .scratch))
    case .measure: self = .measure
    case .pressure: self = .pressure(try MemoryPressure(from: decoder))
    case .quit: self = .quit
    }
  }

  /// Writes the message as one JSON object.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(kind, forKey: .type)
    switch self {
    case .setup(let order): try order.encode(to: encoder)
    case .prepare(let order, let launch, let scratch):
      try order.encode(to: encoder)
      try values.encode(launch, forKey: .launch)
      try values.encode(scratch, forKey: .scratch)
    case .pressure(let pressure): try pressure.encode(to: encoder)
    case .measure, .quit: break
    }
  }
}
