internal import Foundation
internal import PerfModel

/// What the harness says to a worker; `Sources/Agent/PROTOCOL.md` is the contract.
enum HarnessMessage {
  case setup(WorkOrder)
  case prepare(WorkOrder, iteration: Int, scratch: String)
  case measure
  case pressure(PressureState)
  case quit

  /// What is to be done.
  struct WorkOrder: Sendable {
    let workload: String
    let parameters: Parameters
    let seed: UInt64
    let cache: String
  }

  /// The message as one line with its newline.
  func line() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var data = try encoder.encode(wire)
    data.append(0x0A)
    return data
  }

  private struct Wire: Encodable {
    var type: String
    var workload: String?
    var parameters: Parameters?
    var seed: UInt64?
    var cache: String?
    var iteration: Int?
    var scratch: String?
    var level: String?
    var fraction: Double?
    var budget: UInt64?
    var footprint: UInt64?
    var ballast: UInt64?
  }

  private var wire: Wire {
    switch self {
    case .setup(let order):
      Wire(
        type: "setup", workload: order.workload, parameters: order.parameters, seed: order.seed,
        cache: order.cache)
    case .prepare(let order, let iteration, let scratch):
      Wire(
        type: "prepare", workload: order.workload, parameters: order.parameters, seed: order.seed,
        cache: order.cache, iteration: iteration, scratch: scratch)
    case .measure: Wire(type: "measure")
    case .pressure(let state):
      Wire(
        type: "pressure", level: state.level.rawValue, fraction: state.fraction,
        budget: state.budget, footprint: state.footprint, ballast: state.ballast)
    case .quit: Wire(type: "quit")
    }
  }
}

/// What a worker says to the harness.
enum WorkerMessage {
  case hello(version: Int, WorkerDescription)
  case progress(label: String, done: Int, total: Int)
  case warning(RunWarning)
  case ready(files: [String], notes: [String: String])
  case prepared
  case done(Completion)
  case failed(stage: String, message: String)

  /// The end of a measured phase.
  struct Completion: Sendable {
    /// The worker's own clocks before and after the measured phase; nil of older workers.
    let usage: (began: Usage, ended: Usage)?
    /// Final values by name.
    let counters: [String: Double]
  }

  /// Readings of clocks in nanoseconds.
  struct Usage: Decodable, Sendable {
    /// CLOCK_MONOTONIC.
    let wall: UInt64
    /// CPU time of the process.
    let cpu: UInt64
    /// The share of it in user mode, by the kernel's own (coarser) count.
    let user: UInt64
    /// The share of it in the kernel.
    let system: UInt64
    /// Calls that gave memory since the agent attached; nil when they are not counted.
    var allocations: UInt64?
    /// What they asked for, in bytes.
    var allocated: UInt64?
  }

  /// Reads a line; nil when it is no message.
  init?(line: Data) {
    guard let wire = try? JSONDecoder().decode(Wire.self, from: line) else { return nil }
    switch wire.type {
    case "hello":
      guard let version = wire.protocol else { return nil }
      guard version == Self.knownVersion else {
        self = .hello(
          version: version,
          WorkerDescription(suite: wire.suite ?? "", configuration: "", compiler: "", workloads: [])
        )
        return
      }
      guard let suite = wire.suite, let workloads = wire.workloads else { return nil }
      let described = workloads.compactMap(\.value)
      guard described.count == workloads.count else { return nil }
      self = .hello(
        version: version,
        WorkerDescription(
          suite: suite, configuration: wire.build?.configuration ?? "unknown",
          compiler: wire.build?.compiler ?? "unknown", workloads: described))
    case "progress":
      guard let done = wire.done, let total = wire.total else { return nil }
      self = .progress(label: wire.label ?? "", done: done, total: total)
    case "warning":
      guard let message = wire.message else { return nil }
      self = .warning(
        RunWarning(code: wire.code ?? "worker", message: message, remedy: wire.remedy ?? ""))
    case "ready": self = .ready(files: wire.files ?? [], notes: wire.notes ?? [:])
    case "prepared": self = .prepared
    case "done":
      let usage = wire.began.flatMap { began in wire.ended.map { (began, $0) } }
      self = .done(Completion(usage: usage, counters: wire.counters ?? [:]))
    case "failed":
      self = .failed(stage: wire.stage ?? "its work", message: wire.message ?? "no reason given")
    default: return nil
    }
  }

  /// The version of the protocol that this harness speaks.
  static let knownVersion = 1

  fileprivate struct Wire: Decodable {
    struct Build: Decodable {
      var configuration: String?
      var compiler: String?
    }

    struct Workload: Decodable {
      struct Parameter: Decodable {
        var name: String
        var type: String
        var `default`: ParameterValue
        var summary: String?
        var choices: [String]?
        var minimum: Double?
        var maximum: Double?
      }

      struct Counter: Decodable {
        var name: String
        var unit: String
        var direction: String
        var scale: String?
        var summary: String?
        var deterministic: Bool?
      }

      var name: String
      var summary: String?
      var startsAtLaunch: Bool?
      var parameters: [Parameter]?
      var counters: [Counter]?

      enum CodingKeys: String, CodingKey {
        case name
        case summary
        case startsAtLaunch = "starts_at_launch"
        case parameters
        case counters
      }
    }

    var type: String
    var `protocol`: Int?
    var suite: String?
    var build: Build?
    var workloads: [Workload]?
    var label: String?
    var done: Int?
    var total: Int?
    var code: String?
    var message: String?
    var remedy: String?
    var files: [String]?
    var notes: [String: String]?
    var counters: [String: Double]?
    var stage: String?
    var began: Usage?
    var ended: Usage?
  }
}

extension WorkerMessage.Wire.Workload {
  /// The workload as a value; nil when a type or unit is unknown.
  fileprivate var value: WorkerDescription.Workload? {
    let parameters = (parameters ?? []).compactMap { wire -> WorkerDescription.Parameter? in
      guard let kind = WorkerDescription.Parameter.Kind(rawValue: wire.type) else { return nil }
      return WorkerDescription.Parameter(
        name: wire.name, kind: kind, defaultValue: wire.default, summary: wire.summary ?? "",
        choices: wire.choices, minimum: wire.minimum, maximum: wire.maximum)
    }
    let counters = (counters ?? []).compactMap { wire -> MetricDefinition? in
      guard let unit = Unit.named(wire.unit), unit == Unit.base(of: unit.dimension),
        let direction = Direction(rawValue: wire.direction)
      else { return nil }
      return MetricDefinition(
        name: wire.name, dimension: unit.dimension, direction: direction,
        scale: wire.scale.flatMap(MetricScale.init) ?? .difference,
        isDeterministic: wire.deterministic ?? false, summary: wire.summary ?? "")
    }
    guard parameters.count == self.parameters?.count ?? 0,
      counters.count == self.counters?.count ?? 0
    else { return nil }
    return WorkerDescription.Workload(
      name: name, summary: summary ?? "", startsAtLaunch: startsAtLaunch ?? false,
      parameters: parameters, counters: counters)
  }
}
