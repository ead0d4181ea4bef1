internal import PerfModel
internal import PerfProtocol

extension WorkerDescription {
  /// The most counters of a workload: each is a metric of every launch.
  static let mostCounters = 1000
  /// The most characters of a name: it is a column of tables, and a part of file names.
  static let longestName = 200

  /// Converts the first message of a worker.
  ///
  /// Names that are too long are left out with what they name, and so are counters beyond the limit.
  ///
  /// - Throws: `UnknownWord` when a counter has an unknown unit or direction.
  init(_ hello: Hello) throws(UnknownWord) {
    let named = hello.workloads.filter { $0.name.count <= Self.longestName }
    let workloads = try named.map { workload throws(UnknownWord) in
      Workload(
        name: workload.name, summary: workload.summary ?? "",
        startsAtLaunch: workload.startsAtLaunch ?? false,
        parameters: (workload.parameters ?? []).filter { $0.name.count <= Self.longestName },
        counters: try Self.counters(of: workload).map { counter throws(UnknownWord) in
          try MetricDefinition(counter, of: workload.name)
        })
    }
    self.init(
      suite: hello.suite, configuration: hello.build?.configuration ?? "unknown",
      compiler: hello.build?.compiler ?? "unknown", workloads: workloads)
  }

  private static func counters(of workload: Hello.Workload) -> [Hello.Counter] {
    let named = (workload.counters ?? []).filter { $0.name.count <= longestName }
    return Array(named.prefix(mostCounters))
  }

  /// Returns the warning about declarations of a message that are left out; nil if none are.
  func warning(of hello: Hello) -> RunWarning? {
    func count(_ workloads: [(parameters: Int, counters: Int)]) -> Int {
      workloads.reduce(workloads.count) { $0 + $1.parameters + $1.counters }
    }
    let sent = count(
      hello.workloads.map { ($0.parameters?.count ?? 0, $0.counters?.count ?? 0) })
    let lost = sent - count(workloads.map { ($0.parameters.count, $0.counters.count) })
    guard lost > 0 else { return nil }
    return RunWarning(
      code: "worker.declarations",
      message:
        "\(NumberFormat.grouped(lost)) workloads, parameters or counters of the worker are left out: a "
        + "workload may have \(NumberFormat.grouped(Self.mostCounters)) counters, and a name "
        + "\(Self.longestName) characters",
      remedy: "Declare fewer counters, and give them shorter names.")
  }

  /// The error of a counter whose unit or direction the protocol does not define.
  struct UnknownWord: Error, CustomStringConvertible {
    let workload: String
    let counter: String
    let word: String

    var description: String {
      "counter '\(counter)' of '\(workload)' has the unknown word '\(word)'"
    }
  }
}

extension MetricDefinition {
  fileprivate init(
    _ counter: Hello.Counter, of workload: String
  ) throws(WorkerDescription.UnknownWord) {
    func unknown(_ word: String) -> WorkerDescription.UnknownWord {
      WorkerDescription.UnknownWord(workload: workload, counter: counter.name, word: word)
    }
    guard let unit = Unit.named(counter.unit), unit == Unit.base(of: unit.dimension) else {
      throw unknown(counter.unit)
    }
    guard let direction = Direction(rawValue: counter.direction) else {
      throw unknown(counter.direction)
    }
    self.init(
      name: counter.name, dimension: unit.dimension, direction: direction,
      scale: counter.scale.flatMap(MetricScale.init) ?? .difference,
      isDeterministic: counter.isDeterministic ?? false, summary: counter.summary ?? "")
  }
}
