public import PerfModel

/// Made-up runs whose launches were counted.
public enum CountedRuns {
  /// Returns a run with the instructions of each launch.
  ///
  /// - Parameters:
  ///   - instructions: One number per completed launch.
  ///   - functions: The instructions of functions per launch by name; each call has 100.
  ///   - misses: The simulated data misses of each launch; nil if they were not simulated.
  ///   - functionMisses: The simulated data misses of functions per launch by name.
  ///   - failed: The number of further launches that met their time limit.
  ///   - failure: The end of one more launch; nil for none.
  ///   - warnings: The warnings of the run.
  ///   - id: The run's id.
  /// - Returns: A run with the counts as metrics.
  public static func run(
    _ instructions: [Double], functions: [String: [UInt64]] = [:], misses: [Double]? = nil,
    functionMisses: [String: [UInt64]] = [:], failed: Int = 0, failure: Launch.Status? = nil,
    warnings: [RunWarning] = [], id: String = "w"
  ) -> Run {
    let values = [MetricName.workInstructions: instructions, MetricName.workDataMisses: misses]
      .compactMapValues(\.self)
    let completed = instructions.indices.map { index in
      Launch(
        index: index, isWarmup: false, status: .completed, offset: 0,
        metrics: values.mapValues { $0[index] })
    }
    let ends = [Launch.Status](repeating: .timedOut, count: failed) + [failure].compactMap(\.self)
    let lost = ends.enumerated().map { index, status in
      Launch(index: instructions.count + index, isWarmup: false, status: status, offset: 0)
    }
    let work = WorkProfile(
      launches: Array(instructions.indices),
      functions: functions.sorted { $0.key < $1.key }.map { name, counts in
        WorkProfile.Function(
          name: name, key: name, module: "work", instructions: counts,
          calls: counts.map { $0 / 100 }, dataMisses: functionMisses[name])
      })
    return Run(
      id: id, scenario: "work", variant: "default", label: nil,
      started: Timestamp(milliseconds: 0), seed: 1, parameters: [:], command: [],
      environment: Environment(facts: [:]),
      definitions: MetricCatalog.standardDefinitions.filter { values.keys.contains($0.name) },
      launches: completed + lost, budgets: [], profile: nil,
      work: instructions.isEmpty ? nil : work, warnings: warnings,
      wasInterrupted: false)
  }
}
