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
      Each step measures a commit in pairs against GOOD and is decided like a gate: regressed is bad,
      equivalent or improved is good. A commit that does not build, or cannot be decided, is passed
      over, and named when it may be the one. Commits are those along the first parents.

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

  func perform(_ context: Context) throws -> ExitStatus {
    let checkout = try GitCheckout(
      containing: context.workingDirectory, variables: context.variables)
    let (first, last) = (try checkout.revision(good), try checkout.revision(bad))
    let commits = try checkout.commits(after: first, to: last)
    guard !commits.isEmpty else {
      throw Failure("there is no commit after '\(good)' on the way to '\(bad)'.", status: .usage)
    }
    let measuring = Measuring(options: measuring, global: global, context: context)
    let store = try RunStore(path: global.storePath(context))
    var search = BisectSearch(count: commits.count)
    // The end is looked at first: a search for what is not there would end anywhere.
    switch try step(commits, at: commits.count - 1, measuring, store) {
    case .bad: break
    case .good:
      throw Failure(
        "\(metric) is not worse at '\(bad)' than at '\(good)' by its margin: there is nothing to "
          + "find.", status: .inconclusive)
    case .unknown:
      throw Failure(
        "'\(bad)' cannot be built or decided, so nothing can be told of what leads to it.",
        status: .inconclusive)
    }
    while let index = search.next {
      search.set(try step(commits, at: index, measuring, store), at: index)
    }
    let found = search.candidates.map { commits[$0] }
    let table = Table(
      id: "bisect", title: "Became worse by",
      columns: [.init("commit"), .init("summary", isFlexible: true)],
      rows: try found.map { commit in
        [.init(String(commit.prefix(10)), .strong), .init(try checkout.subject(of: commit))]
      },
      caption: found.count == 1
        ? "" : "Those between could not be built or decided: it is one of these.")
    try output.write(
      Document(title: "bisect", blocks: [.table(table)]), json: table.json, global: global,
      context: context)
    return found.count == 1 ? .done : .inconclusive
  }

  /// Measures a commit against the good one.
  private func step(
    _ commits: [String], at index: Int, _ measuring: Measuring, _ store: RunStore
  ) throws -> BisectSearch.Finding {
    let commit = commits[index]
    let short = String(commit.prefix(10))
    do {
      let built = try RevisionSides(measuring: measuring) { checkout in
        (try checkout.revision(good), try checkout.revision(commit))
      }
      var sides = try built.sides(of: scenario, variant: variant, measuring: measuring)
      let margin = margin?.margin ?? sides.scenario.gate.margin(of: metric)
      sides.policy = Scenario.GatePolicy(margin: margin, metrics: [metric: margin])
      guard sides.candidate.subject.checked.catalog[metric] != nil else {
        let known = sides.candidate.subject.checked.catalog.names
        throw Failure(
          "there is no metric '\(metric)'" + NearestName.hint(for: metric, among: known),
          status: .usage)
      }
      let compared = try pairing.measuring(measuring).measure(sides, gatingCount: 1, into: store)
      let verdict = compared.comparison.verdict
      global.say("\(short): \(verdict) (comparison \(compared.stored.id))", measuring.context)
      switch verdict {
      case .regressed: return .bad
      case .improved, .equivalent: return .good
      case .inconclusive, .void: return .unknown
      }
    } catch RevisionError.buildFailed(let revision, _, let log, _) {
      global.say("\(short): does not build (\(revision); its log is \(log))", measuring.context)
      return .unknown
    }
  }
}

/// The margin of a metric on the command line, as `2%` or `1 ms`.
struct MarginArgument: ExpressibleByArgument {
  /// What it says.
  let margin: Scenario.Margin

  init?(argument: String) {
    guard let quantity = Quantity.parse(argument), quantity.baseValue > 0 else { return nil }
    margin =
      quantity.unit == .percent
      ? Scenario.Margin(relative: quantity.baseValue)
      : Scenario.Margin(absolute: quantity.baseValue)
  }
}
