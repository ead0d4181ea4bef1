internal import PerfModel
internal import PerfProtocol

extension WorkerDescription {
  /// Converts the first message of a worker.
  ///
  /// - Throws: `UnknownWord` when a counter has an unknown unit or direction.
  init(_ hello: Hello) throws(UnknownWord) {
    var workloads: [Workload] = []
    for workload in hello.workloads {
      var counters: [MetricDefinition] = []
      for counter in workload.counters ?? [] {
        counters.append(try MetricDefinition(counter, of: workload.name))
      }
      workloads.append(
        Workload(
          name: workload.name, summary: workload.summary ?? "",
          startsAtLaunch: workload.startsAtLaunch ?? false,
          parameters: workload.parameters ?? [], counters: counters))
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

    /// Where the word is and which word it is.
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
