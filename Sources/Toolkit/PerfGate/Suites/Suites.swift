internal import Foundation
internal import PerfModel
public import PerfRunner
internal import PerfScenario

/// The benchmarks of a package with suites of package-benchmark, or the chosen ones of them.
///
/// Each benchmark is measured like a scenario: a launch is a fresh process of its suite, which runs the
/// benchmark alone, with the iterations that the suite sets.
public struct Suites {
  private let package: SuitePackage
  /// The chosen suites; each with names of benchmarks, or none for all.
  private let chosen: [(target: String, names: [String])]
  private let measuring: Measuring

  /// Finds the package of the working directory.
  ///
  /// - Parameters:
  ///   - names: Targets, or benchmarks as `TARGET/NAME`; empty for all.
  ///   - measuring: Makes the launches.
  /// - Throws: `RunnerError.noSuitePackage` or `unknownBenchmark`, or `Failure` for wrong usage.
  public init(named names: [String], _ measuring: Measuring) throws {
    let workspace = measuring.workspace
    guard measuring.settings.overrides.isEmpty, measuring.settings.scenarioFolder == nil else {
      throw Failure(
        "benchmarks of package-benchmark have no parameters and no scenario files: leave out --set and "
          + "--scenarios.", status: .usage)
    }
    let package = try workspace.unlessStopped {
      try SuitePackage(
        near: workspace.workingDirectory, variables: workspace.variables,
        isCancelled: workspace.isCancelled)
    }
    var chosen: [(target: String, names: [String])] =
      names.isEmpty ? package.targets.map { ($0, []) } : []
    for name in names {
      guard
        let target = package.targets.first(where: { name == $0 || name.hasPrefix("\($0)/") })
      else { throw RunnerError.unknownBenchmark(name: name, known: package.targets) }
      let benchmark = name == target ? nil : String(name.dropFirst(target.count + 1))
      if let index = chosen.firstIndex(where: { $0.target == target }) {
        // A target alone stands for all of its benchmarks.
        let earlier = chosen[index].names
        chosen[index].names = benchmark.map { earlier.isEmpty ? [] : earlier + [$0] } ?? []
      } else {
        chosen.append((target, [benchmark].compactMap(\.self)))
      }
    }
    (self.package, self.chosen, self.measuring) = (package, chosen, measuring)
  }

  private var targets: [String] { chosen.map(\.target) }

  // MARK: - One build

  /// Builds the suites where they are, and returns their benchmarks.
  ///
  /// - Throws: `RunnerError`, or `CancellationError`.
  public func runnables() throws -> [RunnableScenario] {
    let workspace = measuring.workspace
    try measuring.clock.excluding {
      try package.build(
        targets, variables: workspace.variables, isCancelled: workspace.isCancelled
      ) { measuring.observe(.note("building: \($0)")) }
    }
    let found = try choose(among: [benchmarks(in: package.folder)])[0]
    return try Self.files(of: found, measuring.settings).map { file in
      try measuring.runnable(file, finder: workspace.finder, folder: package.folder)
    }
  }

  /// Lists the benchmarks of the chosen suites of a built package.
  private func benchmarks(in folder: String) throws -> [SuiteBenchmark] {
    let workspace = measuring.workspace
    return try targets.flatMap { target in
      let program = SuiteProgram(
        path: "\(folder)/\(SuitePackage.products)/\(target)", directory: folder,
        variables: workspace.variables)
      return try workspace.unlessStopped {
        try program.benchmarks(isCancelled: workspace.isCancelled)
      }
    }
  }

  /// Returns the chosen benchmarks of each build.
  ///
  /// - Throws: `RunnerError.unknownBenchmark` for a name that no build has.
  private func choose(among builds: [[SuiteBenchmark]]) throws -> [[SuiteBenchmark]] {
    let known = Set(builds.joined().map(\.title))
    let wanted = chosen.flatMap { suite in suite.names.map { "\(suite.target)/\($0)" } }
    if let name = wanted.first(where: { !known.contains($0) }) {
      throw RunnerError.unknownBenchmark(name: name, known: known.sorted())
    }
    let whole = chosen.filter(\.names.isEmpty).map(\.target)
    return builds.map { build in
      build.filter { whole.contains($0.target) || wanted.contains($0.title) }
    }
  }

  // MARK: - Two builds

  /// The benchmarks of two revisions.
  public struct Sides {
    let revisions: BuiltRevisions
    /// The benchmarks that both revisions have.
    public let common: [PairedSides]
    /// The benchmarks that the candidate lacks, as `TARGET/NAME`.
    public let removed: [String]
    /// The benchmarks that the base lacks, as `TARGET/NAME`.
    public let added: [String]

    /// The removed benchmarks as changes of the gate's rules.
    var changes: [GateChange] {
      removed.map { title in
        GateChange(
          kind: .removed, subject: title,
          sentence: "Benchmark \(title) is removed: the base has it.")
      }
    }
  }

  /// Builds the suites of two revisions, and returns their benchmarks.
  ///
  /// - Parameters:
  ///   - layouts: The number of links of each side with other layouts; nil for the build's own.
  ///   - find: Looks up base and candidate.
  /// - Returns: The benchmarks of both revisions.
  /// - Throws: `RunnerError`, `RevisionError`, `StoreError`, `CancellationError` or the errors of `find`.
  public func sides(
    layouts: Int? = nil, find: (GitCheckout) throws -> BuiltRevisions.Pair
  ) throws -> Sides {
    let revisions = try BuiltRevisions(
      measuring: measuring, layouts: layouts,
      project: { checkout in
        ProjectFile(at: place(in: checkout), build: SuitePackage.build(targets))
      }, find: find)
    let chosen = try choose(
      among: [revisions.base, revisions.candidate].map { try benchmarks(in: $0.folder) })
    let (base, candidate) = (chosen[0], chosen[1])
    let earlier = Dictionary(base.map { ($0.title, $0) }) { first, _ in first }
    let common = candidate.filter { earlier[$0.title] != nil }
    let settings = measuring.settings
    let files = zip(
      Self.files(of: common, settings),
      Self.files(of: common.compactMap { earlier[$0.title] }, settings))
    let known = Set(candidate.map(\.title))
    return Sides(
      revisions: revisions,
      common: try files.map { current, earlier in
        try revisions.sides(
          of: current, asOfBase: earlier, at: revisions.project.place, measuring: measuring)
      },
      removed: base.map(\.title).filter { !known.contains($0) },
      added: candidate.map(\.title).filter { earlier[$0] == nil })
  }

  /// Returns the folder of the package, from the root and with a slash at its end.
  private func place(in checkout: GitCheckout) -> String {
    let place = checkout.place(of: package.folder)
    return place.isEmpty ? "" : place + "/"
  }

  // MARK: - Scenarios

  /// Returns the scenarios of benchmarks, with different names.
  static func files(
    of benchmarks: [SuiteBenchmark], _ settings: MeasuringSettings
  ) -> [ScenarioFile] {
    var gate: [String: Scenario.Margin?] = [MetricName.benchmarkTime: nil]
    if settings.countsAllocations { gate[MetricName.benchmarkAllocations] = .some(nil) }
    var uses: [String: Int] = [:]
    return benchmarks.map { benchmark in
      let name = DirectCommand.name(
        of: [benchmark.target, benchmark.name], or: benchmark.target, longest: 80)
      uses[name, default: 0] += 1
      let number = uses[name].flatMap { $0 > 1 ? "-\($0)" : nil } ?? ""
      let program = "\(SuitePackage.products)/\(benchmark.target)"
      return ScenarioFile(
        of: Scenario(
          name: name + number, summary: "The benchmark \(benchmark.title) of package-benchmark.",
          workload: "", worker: .command([program] + SuiteProgram.arguments),
          variants: [Scenario.Variant(name: "default", parameters: [:])], defaultVariant: "default",
          timeout: 600_000_000_000, gate: Scenario.GatePolicy(metrics: gate),
          command: Scenario.CommandSettings(directory: ".", suite: benchmark)))
    }
  }
}
