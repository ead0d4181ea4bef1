internal import FoundationEssentials

/// What the worker says to the harness; `PROTOCOL.md` is the contract.
enum WorkerMessage {
  case hello(suite: String, workloads: [any Workload.Type])
  case progress(label: String, done: Int, total: Int)
  case warning(WorkloadWarning)
  case ready(SetupResult)
  case prepared
  case done(began: ProcessUsage, ended: ProcessUsage, counters: [String: Double])
  case failed(stage: String, message: String)

  /// The version of the protocol.
  static let version = 1

  /// The message as a line without its newline.
  func line() -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(wire))
    } catch {
      // Only a number that JSON cannot say gets here, and those are refused when they are reported.
      return Array(#"{"type":"failed","stage":"protocol","message":"\#(type) is not JSON"}"#.utf8)
    }
  }

  private var type: String {
    switch self {
    case .hello: "hello"
    case .progress: "progress"
    case .warning: "warning"
    case .ready: "ready"
    case .prepared: "prepared"
    case .done: "done"
    case .failed: "failed"
    }
  }

  private var wire: Wire {
    var wire = Wire(type: type)
    switch self {
    case .hello(let suite, let workloads):
      wire.protocol = Self.version
      wire.suite = suite
      wire.build = Wire.Build(configuration: Build.configuration, compiler: Build.compiler)
      wire.workloads = workloads.map { Wire.WorkloadDescription($0) }
    case .progress(let label, let done, let total):
      wire.label = label
      wire.done = done
      wire.total = total
    case .warning(let warning):
      wire.code = warning.code
      wire.message = warning.message
      wire.remedy = warning.remedy
    case .ready(let result):
      wire.files = result.files
      wire.notes = result.notes
    case .prepared: break
    case .done(let began, let ended, let counters):
      wire.began = began
      wire.ended = ended
      wire.counters = counters
    case .failed(let stage, let message):
      wire.stage = stage
      wire.message = message
    }
    return wire
  }

  private struct Wire: Encodable {
    struct Build: Encodable {
      let configuration: String
      let compiler: String
    }

    struct WorkloadDescription: Encodable {
      let name: String
      let summary: String
      let starts_at_launch: Bool
      let parameters: [Parameter]
      let counters: [Counter]

      init(_ workload: any Workload.Type) {
        name = workload.name
        summary = workload.summary
        starts_at_launch = workload.startsAtLaunch
        parameters = workload.parameters.map { Parameter($0) }
        counters = workload.counters.map { Counter($0) }
      }
    }

    struct Parameter: Encodable {
      let name: String
      let type: String
      let `default`: ParameterValue
      let summary: String
      var choices: [String]?
      var minimum: Double?
      var maximum: Double?

      init(_ declaration: ParameterDeclaration) {
        name = declaration.name
        type = declaration.typeName
        `default` = declaration.defaultValue
        summary = declaration.summary
        switch declaration.domain {
        case .int(let range):
          minimum = range.map { Double($0.lowerBound) }
          maximum = range.map { Double($0.upperBound) }
        case .double(let range):
          minimum = range?.lowerBound
          maximum = range?.upperBound
        case .string(let choices): self.choices = choices
        case .bool: break
        }
      }
    }

    struct Counter: Encodable {
      let name: String
      let unit: String
      let direction: String
      let scale: String
      let deterministic: Bool
      let summary: String

      init(_ declaration: CounterDeclaration) {
        name = declaration.name
        unit = declaration.unit.rawValue
        direction = declaration.direction.rawValue
        scale = declaration.scale.rawValue
        deterministic = declaration.isDeterministic
        summary = declaration.summary
      }
    }

    let type: String
    var `protocol`: Int?
    var suite: String?
    var build: Build?
    var workloads: [WorkloadDescription]?
    var label: String?
    var done: Int?
    var total: Int?
    var code: String?
    var message: String?
    var remedy: String?
    var files: [String]?
    var notes: [String: String]?
    var began: ProcessUsage?
    var ended: ProcessUsage?
    var counters: [String: Double]?
    var stage: String?
  }
}

/// How this worker was built.
private enum Build {
  static var configuration: String {
    #if DEBUG
    "debug"
    #else
    "release"
    #endif
  }

  static var compiler: String {
    #if compiler(>=6.4)
    "6.4 or later"
    #elseif compiler(>=6.3.2)
    "6.3.2 or later"
    #elseif compiler(>=6.3.1)
    "6.3.1"
    #elseif compiler(>=6.3)
    "6.3"
    #else
    "before 6.3"
    #endif
  }
}
