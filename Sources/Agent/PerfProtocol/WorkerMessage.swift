/// A message from a worker to the harness.
///
/// `Sources/Agent/PROTOCOL.md` specifies the protocol.
package enum WorkerMessage: Equatable, Sendable {
  case hello(Hello)
  case progress(label: String, done: Int, total: Int)
  case warning(Warning)
  case ready(files: [String], notes: [String: String])
  case prepared
  case done(Completion)
  case failed(stage: String, message: String)

  /// An event that did not stop the work but matters to the reader of its results.
  package struct Warning: Equatable, Sendable {
    /// A stable dotted code such as `cover.skipped`.
    package let code: String
    /// What happened, in one sentence.
    package let message: String
    /// How the user can respond.
    package let remedy: String

    package init(code: String, message: String, remedy: String) {
      self.code = code
      self.message = message
      self.remedy = remedy
    }
  }

  /// The end of a measured phase.
  package struct Completion: Equatable, Sendable {
    /// The worker's clocks right before the measured phase; nil when the worker sends none.
    package let began: Usage?
    /// The worker's clocks right after the measured phase; nil when the worker sends none.
    package let ended: Usage?
    /// The final values of the counters by name.
    package let counters: [String: Double]

    package init(usage: (began: Usage, ended: Usage)?, counters: [String: Double]) {
      began = usage?.began
      ended = usage?.ended
      self.counters = counters
    }

    /// Both readings; nil when one is missing.
    package var usage: (began: Usage, ended: Usage)? {
      began.flatMap { began in ended.map { (began, $0) } }
    }
  }

  /// Readings of a process's clocks, in nanoseconds, and of its allocation counts.
  package struct Usage: Equatable, Sendable, Codable {
    /// CLOCK_MONOTONIC.
    package let wall: UInt64
    /// The CPU time of the process.
    package let cpu: UInt64
    /// The CPU time in user mode, from the kernel's coarser count.
    package let user: UInt64
    /// The CPU time in the kernel, from the kernel's coarser count.
    package let system: UInt64
    /// The number of allocations since the agent attached; nil when they are not counted.
    package let allocations: UInt64?
    /// The bytes of these allocations; nil when they are not counted.
    package let allocated: UInt64?

    package init(
      wall: UInt64, cpu: UInt64, user: UInt64, system: UInt64, allocations: UInt64? = nil,
      allocated: UInt64? = nil
    ) {
      self.wall = wall
      self.cpu = cpu
      self.user = user
      self.system = system
      self.allocations = allocations
      self.allocated = allocated
    }
  }
}

extension WorkerMessage: ControlMessage {
  private enum Kind: String, Codable {
    case hello
    case progress
    case warning
    case ready
    case prepared
    case done
    case failed
  }

  private enum Key: String, CodingKey {
    case type
    case label
    case done
    case total
    case code
    case message
    case remedy
    case files
    case notes
    case counters
    case began
    case ended
    case stage
  }

  /// Reads the message of the `type` key; ignores unknown keys.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    func text(_ key: Key, default text: String) throws -> String {
      try values.decodeIfPresent(String.self, forKey: key) ?? text
    }
    switch try values.decode(Kind.self, forKey: .type) {
    case .hello: self = .hello(try Hello(from: decoder))
    case .progress:
      self = .progress(
        label: try text(.label, default: ""), done: try values.decode(Int.self, forKey: .done),
        total: try values.decode(Int.self, forKey: .total))
    case .warning:
      self = .warning(
        Warning(
          code: try text(.code, default: "worker"),
          message: try values.decode(String.self, forKey: .message),
          remedy: try text(.remedy, default: "")))
    case .ready:
      self = .ready(
        files: try values.decodeIfPresent([String].self, forKey: .files) ?? [],
        notes: try values.decodeIfPresent([String: String].self, forKey: .notes) ?? [:])
    case .prepared: self = .prepared
    case .done:
      let began = try values.decodeIfPresent(Usage.self, forKey: .began)
      let ended = try values.decodeIfPresent(Usage.self, forKey: .ended)
      self = .done(
        Completion(
          usage: began.flatMap { began in ended.map { (began, $0) } },
          counters: try values.decodeIfPresent([String: Double].self, forKey: .counters) ?? [:]))
    case .failed:
      self = .failed(
        stage: try text(.stage, default: "its work"),
        message: try text(.message, default: "no reason given"))
    }
  }

  /// Writes the message as one JSON object.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    func put(_ kind: Kind, _ fields: [Key: any Encodable] = [:]) throws {
      try values.encode(kind, forKey: .type)
      for (key, value) in fields { try values.encode(value, forKey: key) }
    }
    switch self {
    case .hello(let hello):
      try put(.hello)
      try hello.encode(to: encoder)
    case .progress(let label, let done, let total):
      try put(.progress, [.label: label, .done: done, .total: total])
    case .warning(let warning):
      try put(
        .warning, [.code: warning.code, .message: warning.message, .remedy: warning.remedy])
    case .ready(let files, let notes): try put(.ready, [.files: files, .notes: notes])
    case .prepared: try put(.prepared)
    case .done(let completion):
      try put(.done, [.counters: completion.counters])
      try values.encodeIfPresent(completion.began, forKey: .began)
      try values.encodeIfPresent(completion.ended, forKey: .ended)
    case .failed(let stage, let message):
      try put(.failed, [.stage: stage, .message: message])
    }
  }
}
