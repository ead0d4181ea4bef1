internal import ArgumentParser
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStatistics
internal import PerfStore

/// The verb `perfkit bisect GOOD BAD --scenario S --metric M`.
struct BisectVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "bisect",
    abstract: "Find the commit by which a metric became worse.",
    discussion: """
      Each step measures a commit in pairs against GOOD and is decided like a gate: regressed is bad, \
      equivalent or improved is good. A commit that does not build, lacks the scenario, fails, or cannot \
      be decided is passed over, and named when it may be the one. Commits are those along the first \
      parents. When --max-time is over, the commits that are left are named.

      Example:
        perfkit bisect v1.2 HEAD --scenario scroll-1000 --metric cpu.total --margin 5%
      """)

  @Argument(help: "A revision at which it was good.")
  var good: String

  @Argument(help: "A later one at which it is bad.")
  var bad: String

  @Option(help: ArgumentHelp("What is measured.", valueName: "name"))
  var scenario: String

  @Option(help: ArgumentHelp("What became worse.", valueName: "name"))
  var metric: String

  @Option(help: ArgumentHelp("The smallest change that counts, as 2% or 1 ms.", valueName: "size"))
  var margin: MarginArgument?

  @Option(help: ArgumentHelp("The variant.", valueName: "name"))
  var variant: String?

  @OptionGroup(title: "Comparing")
  var pairing: PairingOptions

  @OptionGroup(title: "Measuring")
  var measuring: MeasuringOptions

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws { try measuring.checkPairs() }

  func perform(_ context: Context) throws -> ExitStatus {
    // What a worker counts is known when it is built.
    if let definition = MetricCatalog.standard[metric] { try margin?.check(for: definition) }
    let (first, commits) = try context.unlessStopped { try way(context) }
    let measuring = Measuring(options: measuring, global: global, context: context)
    let store = try RunStore(path: global.storePath(context))
    var search = BisectSearch(count: commits.count)
    // The end is looked at first: a search for what is not there would end anywhere. What is wrong
    // with it is wrong with the question.
    switch try step(commits, at: commits.count - 1, measuring, store) {
    case .bad: break
    case .good:
      throw Failure(
        "\(metric) is not worse at '\(bad)' than at '\(good)' by its margin: there is nothing to "
          + "find.", status: .inconclusive)
    case .unknown:
      throw Failure(
        "'\(bad)' cannot be decided, so nothing can be told of what leads to it.",
        status: .inconclusive)
    }
    try search.run(while: { !isStopped(measuring) }) { index in
      try passingOver(commits[index], context) {
        try step(commits, at: index, measuring, store)
      }
    }
    let found = search.candidates
    // One of its own: after a stop it tells what is left, too.
    let checkout = try GitCheckout(
      containing: context.workingDirectory, variables: context.variables)
    let table = Table(
      id: "bisect", title: "Became worse by",
      columns: [.init("commit"), .init("summary", isFlexible: true)],
      rows: try found.map { index in
        let commit = commits[index]
        return [
          .init(String(commit.prefix(10)), .strong), .init(try checkout.subject(of: commit)),
        ]
      },
      caption: caption(search, commits, first, measuring))
    try output.write(
      Document(title: "bisect", blocks: [.table(table)]), json: table.json, global: global,
      context: context)
    if context.cancellation.isRequested() { return .interrupted }
    return found.count == 1 ? .done : .inconclusive
  }

  /// The good revision, and the commits after it on the way to the bad one.
  private func way(
    _ context: Context
  ) throws -> (first: GitCheckout.Revision, commits: [String]) {
    let checkout = try GitCheckout(
      containing: context.workingDirectory, variables: context.variables,
      isCancelled: context.cancellation.isRequested)
    let (first, last) = (try checkout.revision(good), try checkout.revision(bad))
    let base = try checkout.mergeBase(of: good, with: bad)
    guard base.commit == first.commit else {
      throw Failure(
        "'\(good)' is no ancestor of '\(bad)', so what differs may lie on either way: they part at "
          + "\(base.commit.prefix(10)). Name a good revision on the way to '\(bad)', as that one.",
        status: .usage)
    }
    let commits = try checkout.commits(after: first, to: last)
    guard !commits.isEmpty else {
      throw Failure("there is no commit after '\(good)' on the way to '\(bad)'.", status: .usage)
    }
    return (first, commits)
  }

  private func isStopped(_ measuring: Measuring) -> Bool {
    measuring.isOutOfTime() || measuring.context.cancellation.isRequested()
  }

  /// Why there is more than one.
  private func caption(
    _ search: BisectSearch, _ commits: [String], _ first: GitCheckout.Revision,
    _ measuring: Measuring
  ) -> String {
    guard let low = search.candidates.first, let high = search.candidates.last, low < high else {
      return ""
    }
    guard search.next != nil else {
      return "Those between could not be built, measured or decided: it is one of these."
    }
    let before = low == 0 ? first.commit : commits[low - 1]
    let why = measuring.context.cancellation.isRequested() ? "It was stopped" : "The time is over"
    return "\(why): it is one of these. `perfkit bisect \(before.prefix(10)) "
      + "\(commits[high].prefix(10))` with the same options goes on."
  }

  /// Looks at a commit, of which whatever cannot be measured says nothing about the others.
  ///
  /// - Throws: What does not belong to the commit: a store, git, or the user's stop.
  private func passingOver(
    _ commit: String, _ context: Context, look: () throws -> BisectSearch.Finding
  ) throws -> BisectSearch.Finding {
    func pass(_ reason: String) -> BisectSearch.Finding {
      global.say("\(commit.prefix(10)) is passed over: \(reason)", context)
      return .unknown
    }
    do {
      return try look()
    } catch RevisionError.buildFailed(let revision, let command, let log, _) {
      return pass("\(revision) does not build: `\(command)` failed; its log is \(log)")
    } catch let error as RevisionError {
      guard case .submodule = error else { throw error }
      return pass("\(error)")
    } catch let error as ScenarioError {
      return pass("\(error)")
    } catch let error as RunnerError {
      return pass("\(error)")
    } catch let failure as Failure {
      return pass(failure.message)
    }
  }

  /// Measures a commit against the good one.
  private func step(
    _ commits: [String], at index: Int, _ measuring: Measuring, _ store: RunStore
  ) throws -> BisectSearch.Finding {
    let commit = commits[index]
    let built = try RevisionSides(measuring: measuring) { checkout in
      (try checkout.revision(good), try checkout.revision(commit))
    }
    var sides = try built.sides(of: scenario, variant: variant, measuring: measuring)
    let margin = margin?.margin ?? sides.scenario.gate.margin(of: metric)
    sides.policy = Scenario.GatePolicy(margin: margin, metrics: [metric: margin])
    guard let definition = sides.candidate.subject.checked.catalog[metric] else {
      let known = sides.candidate.subject.checked.catalog.names
      throw Failure(
        "there is no metric '\(metric)'" + NearestName.hint(for: metric, among: known),
        status: .usage)
    }
    try self.margin?.check(for: definition)
    let compared = try pairing.measuring(measuring).measure(sides, gatingCount: 1, into: store)
    let verdict = compared.comparison.verdict
    global.say(
      "\(commit.prefix(10)): \(verdict) (comparison \(compared.stored.id))", measuring.context)
    switch verdict {
    case .regressed: return .bad
    case .improved, .equivalent: return .good
    case .inconclusive, .void: return .unknown
    }
  }
}

extension BisectSearch {
  /// Looks at one after the other until nothing is left to look at.
  ///
  /// - Parameters:
  ///   - goesOn: Whether another one is to be looked at; asked before each.
  ///   - look: Finds out about one.
  mutating func run(
    while goesOn: () -> Bool, look: (_ index: Int) throws -> Finding
  ) rethrows {
    while let index = next, goesOn() { set(try look(index), at: index) }
  }
}

/// The margin of a metric on the command line, as `2%` or `1 ms`.
struct MarginArgument: ExpressibleByArgument {
  private let quantity: Quantity

  init?(argument: String) {
    guard let quantity = Quantity.parse(argument), quantity.baseValue > 0 else { return nil }
    self.quantity = quantity
  }

  private var isRelative: Bool { quantity.unit == .percent }

  /// What it says.
  var margin: Scenario.Margin {
    isRelative
      ? Scenario.Margin(relative: quantity.baseValue)
      : Scenario.Margin(absolute: quantity.baseValue)
  }

  /// Refuses an amount of something else than the metric measures.
  ///
  /// - Throws: `Failure` with the units that there are.
  func check(for definition: MetricDefinition) throws {
    guard !isRelative, let problem = definition.problem(with: quantity.unit) else { return }
    throw Failure("--margin '\(quantity)': \(problem) Or give a percentage.", status: .usage)
  }
}
