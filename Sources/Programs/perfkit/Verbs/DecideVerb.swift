internal import ArgumentParser
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfStore

/// The verb `perfkit decide COMPARISON --keep|--revert|--no-effect --because TEXT`.
struct DecideVerb: Verb {
  /// What is done with the change.
  enum Outcome: String, EnumerableFlag {
    case keep
    case revert
    case noEffect

    static func help(for value: Outcome) -> ArgumentHelp? {
      switch value {
      case .keep: "The change stays; what regressed by it is accepted."
      case .revert: "The change is taken back."
      case .noEffect: "The change stays, though it has no effect that was measured."
      }
    }

    var decision: Decision.Resolution {
      switch self {
      case .keep: .kept
      case .revert: .reverted
      case .noEffect: .noEffect
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "decide",
    abstract: "Write into the ledger what was done with a change, and why; or look at it again.",
    discussion: """
      COMPARISON is what `diff` and `gate` named, or `latest`. The decision is kept in the store and as \
      a page of Markdown, in \(DecisionPage.folder) beside perfkit.yml at the repository's root (without \
      one, in the current folder), where a gate looks for it. A regression that is kept no longer turns \
      the gate red: until the metric becomes worse than it was then, or the base has the change. Commit \
      the page with the change: a gate elsewhere, as in CI, knows of it by that, and when the base moves \
      on, that it lacks the change still.

      With --revisit kept decisions are measured again, in pairs: each alone, HEAD against HEAD with \
      its change taken back, and those of a scenario together, the revision before the first of them \
      against HEAD; of variants the same two again. What no longer pays is named, what cannot be \
      measured has its reason. COMPARISON may be the number of the only decision to look at.

      Example:
        perfkit decide latest --keep --because "Covers are sharp now; 3 % is what that costs."
        perfkit decide c1m7zm678xw1 --revert --hypothesis "Smaller views update less." \\
          --change "Views extracted" --because "770 updates where there were 230."
        perfkit decide --revisit --dry-run
        perfkit decide --revisit --max-time 20min
      """)

  @Argument(help: "A comparison that was measured in pairs, or latest.")
  var comparison: String?

  @Flag
  var outcome: Outcome?

  @Option(help: ArgumentHelp("Why it is decided so.", valueName: "text"))
  var because: String?

  @Option(help: ArgumentHelp("Why the change should have helped.", valueName: "text"))
  var hypothesis = ""

  @Option(help: ArgumentHelp("What was changed.", valueName: "text"))
  var change = ""

  @Option(help: ArgumentHelp("Another folder of the pages.", valueName: "dir"))
  var ledger: String?

  @Flag(help: "Measure what was kept again, and say what no longer pays.")
  var revisit = false

  @OptionGroup(title: "Revisiting")
  var again: RevisitOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    guard !revisit else {
      guard outcome == nil, because == nil, hypothesis.isEmpty, change.isEmpty else {
        throw ValidationError("--revisit only measures: decide on what it finds afterwards.")
      }
      guard comparison.map({ Int($0) != nil }) ?? true else {
        throw ValidationError("--revisit takes the number of a decision, as in 'list decisions'.")
      }
      return
    }
    if let option = again.given {
      throw ValidationError("\(option) measures nothing without --revisit: leave it out.")
    }
    guard comparison != nil else { throw ValidationError("name a comparison, or latest.") }
    guard outcome != nil else {
      throw ValidationError("say what is done: --keep, --revert or --no-effect.")
    }
    guard because?.contains(where: { !$0.isWhitespace }) == true else {
      throw ValidationError("--because must say why: a decision without a reason teaches nobody.")
    }
  }

  func perform(_ context: Context) throws -> ExitStatus {
    guard !revisit else {
      return try again.perform(only: comparison.flatMap { Int($0) }, global, context)
    }
    guard let comparison, let outcome, let because else { return .usage }
    let paired =
      comparison == "latest"
      ? try PairedComparison.latest(global, context)
      : try PairedComparison(id: comparison, global, context)
    let decision = Decision(
      paired.comparison, sentence: paired.document().verdictSentence, outcome: outcome.decision,
      hypothesis: hypothesis, change: change, because: because, decided: context.now())
    let store = try RunStore(path: global.storePath(context))
    let folder =
      ledger.map { LedgerFolder(path: context.absolute($0)) } ?? LedgerFolder(in: context)
    let page = try folder.append(decision, to: store)
    context.console.write(context.shown("\(folder.path)/\(page)") + "\n")
    return .done
  }
}
