internal import PerfModel
internal import PerfProtocol

extension WorkerDescription {
  /// Converts the first message of a worker.
  ///
  /// - Throws: `UnknownWord` when a counter has an unknown unit or direction.
  init(_ hello: Hello) throws(UnknownWord) {
    let workloads = try hello.workloads.map { workload throws(UnknownWord) in
      Workload(
        name: workload.name, summary: workload.summary ?? "",
        startsAtLaunch: workload.startsAtLaunch ?? false,
        parameters: workload.parameters ?? [],
        counters: try (workload.counters ?? []).map { counter throws(UnknownWord) in
          try MetricDefinition(counter, of: workload.name)
        })
    }
    self.init(
      suite: hello.suite, configuration: hello.build?.configuration ?? "unknown",
      compiler: hello.build?.compiler ?? "unknown", workloads: workloads)
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
