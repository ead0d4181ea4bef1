internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfStatistics
internal import PerfStore

/// The verb `perfkit decide COMPARISON --keep|--revert|--no-effect --because TEXT`.
struct DecideVerb: Verb {
  /// The decision on a change.
  enum Choice: String, EnumerableFlag {
    case keep
    case revert
    case noEffect

    static func help(for value: Choice) -> ArgumentHelp? {
      switch value {
      case .keep: "Keep the change and accept its regressions."
      case .revert: "Revert the change."
      case .noEffect: "Keep the change, which has no measured effect."
      }
    }

    var resolution: Decision.Resolution {
      switch self {
      case .keep: .kept
      case .revert: .reverted
      case .noEffect: .noEffect
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "decide",
    abstract: "Record the decision on a change and its reason, or measure kept changes again.",
    discussion: """
      COMPARISON is the id that `diff` or `gate` printed, or `latest`: the latest comparison that is \
      not being measured. A gate also prints the names of changed rules, e.g. `removed:scroll-1000` \
      or `loosened:scroll-1000`, which a decision accepts as they are. The decision is stored in the \
      run store and as a Markdown page in \(DecisionPage.folder) beside perfkit.yml (without one, in \
      the current folder). A kept regression no longer fails a gate, until the metric becomes worse \
      than it was, or the base contains the change. Commit the page with the change: a gate in \
      another checkout, e.g. in CI, finds the decision by its page.

      With --revisit, kept decisions are measured again in pairs. Each decision is measured alone: \
      HEAD against HEAD without the change. All decisions of a scenario are measured together: the \
      revision before the first one against HEAD. Decisions between variants compare the same \
      variants again. With --revisit, COMPARISON may be the number of a single decision to measure.

      Example:
        perfkit decide latest --keep --because "Covers are sharp now; it costs 3 %."
        perfkit decide removed:scroll-1000 --keep --because "soak covers it."
        perfkit decide c1m7zm678xw1k2 --revert --because "770 updates, not 230."
        perfkit decide --revisit --dry-run
        perfkit decide --revisit --max-time 20min
      """)

  @Argument(help: "A comparison of pairs, latest, or a changed rule.")
  var comparison: String?

  @Flag
  var choice: Choice?

  @Option(help: ArgumentHelp("Record the reason of the decision.", valueName: "text"))
  var because: String?

  @Option(help: ArgumentHelp("Record why the change should have helped.", valueName: "text"))
  var hypothesis = ""

  @Option(help: ArgumentHelp("Record what was changed.", valueName: "text"))
  var change = ""

  @Option(
    help: ArgumentHelp(
      "Use this folder of decision pages. Default: \(DecisionPage.folder) beside perfkit.yml.",
      valueName: "dir"))
  var ledger: String?

  @Option(
    help: ArgumentHelp(
      "Find a changed rule against this revision. Default: the gate's base.",
      valueName: "revision"))
  var against: String?

  @Flag(help: "Measure kept changes again, and report which no longer pay.")
  var revisit = false

  @OptionGroup(title: "With --revisit")
  var again: RevisitOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  var secrets: Redaction { again.measuring.redaction.redaction }

  func validate() throws {
    guard !revisit else {
      guard choice == nil, because == nil, hypothesis.isEmpty, change.isEmpty, against == nil else {
        throw ValidationError("--revisit only measures. Record a decision with a second command.")
      }
      guard comparison.map({ Int($0) != nil }) ?? true else {
        throw ValidationError(
          "--revisit accepts the number of a decision, which 'perfkit list decisions' shows.")
      }
      return
    }
    if let option = again.given {
      throw ValidationError("\(option) needs --revisit: without it, nothing is measured.")
    }
    guard comparison != nil else {
      throw ValidationError("the comparison is missing. Pass its id, or latest.")
    }
    guard choice != nil else {
      throw ValidationError("the decision is missing. Pass --keep, --revert or --no-effect.")
    }
    guard because?.contains(where: { !$0.isWhitespace }) == true else {
      throw ValidationError("the reason is missing. Pass --because with a text.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    let folder =
      ledger.map { LedgerFolder(path: context.workspace.absolute($0)) }
      ?? LedgerFolder(in: context.workspace)
    guard !revisit else {
      return try again.perform(
        only: comparison.flatMap { Int($0) }, pages: folder, global, context)
    }
    guard let comparison, let choice, let because else { return .usage }
    let path = global.storePath(context)
    let decided = try decided(comparison, path, context)
    try Self.check(choice, of: decided.comparison, decided.sentence)
    let decision = Decision(
      decided.comparison, verdict: decided.comparison.combined, sentence: decided.sentence,
      outcome: choice.resolution, hypothesis: hypothesis, change: change, because: because,
      decided: context.workspace.now())
    let page = "\(folder.path)/\(try folder.append(decision, to: RunStore(path: path)))"
    try write(decision, on: context.workspace.shown(page), context)
    let checkout = try? context.workspace.checkout(isStoppable: false)
    if checkout?.isIgnored(page) == true {
      global.warn(
        [
          "git ignores this page, so that no other checkout knows the decision. Add it with "
            + "'git add --force', or change .gitignore."
        ], context)
    }
    return .done
  }

  /// Refuses to call a measured regression no effect.
  private static func check(
    _ choice: Choice, of comparison: Comparison, _ sentence: String
  ) throws {
    guard choice == .noEffect, comparison.combined == .regressed else { return }
    throw Failure(
      "--no-effect is wrong for a measured regression: \(sentence) Pass --keep to accept the "
        + "regression, or --revert.", status: .usage)
  }

  /// Writes the path of a decision's page, or as JSON the decision in the format `perfkit.decision/1`.
  private func write(_ decision: Decision, on page: String, _ context: Context) throws {
    guard again.output.format == .json else { return context.console.write(page + "\n") }
    let json = JSONValue.object([
      "schema": "perfkit.decision/1", "page": .string(page),
      "comparison": .string(decision.comparison), "scenario": .string(decision.scenario),
      "verdict": .string(decision.verdict.rawValue), "outcome": .string(decision.outcome.rawValue),
      "because": .string(decision.because), "sentence": .string(decision.sentence),
    ])
    try context.write(json.text(), to: again.output.output)
  }

  /// Returns the comparison or the change of the gate's rules with its sentence.
  private func decided(
    _ name: String, _ path: String, _ context: Context
  ) throws -> (comparison: Comparison, sentence: String) {
    if RuleDecision.isName(name) {
      let change = try RuleDecision(
        name, against: against,
        measuring: Measuring(again.measuring.settings(), global, context))
      return (change.comparison, change.sentence)
    }
    guard name == "latest" else {
      let paired = try PairedComparison(id: name, inStoreAt: path)
      return (paired.comparison, paired.document().verdictSentence)
    }
    let paired = try PairedComparison.latest(inStoreAt: path)
    let (side, sentence) = (paired.comparison.candidate, paired.document().verdictSentence)
    context.console.error(
      "latest is comparison \(paired.stored.id) of \(side.scenario):\(side.variant), "
        + "\(paired.stored.started). \(sentence)")
    return (paired.comparison, sentence)
  }
}
