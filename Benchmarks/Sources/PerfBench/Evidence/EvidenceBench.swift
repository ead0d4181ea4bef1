internal import ArgumentParser

/// The error rates of the decision rules, compared with other harnesses.
struct EvidenceBench: ParsableCommand {
  /// A part of the benchmark.
  enum Part: String, ExpressibleByArgument, CaseIterable {
    /// PerfKit's rule and the rules of other harnesses on recorded launches.
    case recorded
    /// PerfKit's rule with and without the CPU's pace, on recorded launches.
    case paced
    /// PerfKit's rule on simulated launches.
    case simulated
    /// Functions named in simulated profiles.
    case functions
    /// Campaigns of many tries on recorded launches.
    case tries
    /// Change points in simulated series.
    case history
    /// Comparisons of launches that the command makes now.
    case live
    /// Functions that the command names in profiles made now.
    case named
    /// Comparisons of counted work, with launches made now.
    case counted
    /// Comparisons of a C tool by work and time, on a busy machine.
    case tool
    /// Comparisons of the same tool by time alone, live and on resampled launches.
    case timed
    /// Counted comparisons of `palette-extract` with a slower function.
    case palette
    /// Comparisons of programs that are linked with several layouts, with launches made now.
    case layout
    /// Comparisons of benchmarks of a package's suite with themselves.
    case suites

    /// The duration with the default options on two cores.
    var duration: String {
      switch self {
      case .recorded: "3 min"
      case .paced: "1 min"
      case .simulated: "30 min"
      case .functions: "10 min"
      case .tries: "5 min"
      case .history: "2 min"
      case .live: "2 h"
      case .named: "1 h"
      case .counted: "3 h"
      case .tool: "80 min"
      case .timed: "65 min"
      case .palette: "50 min"
      case .layout: "30 min"
      case .suites: "30 min"
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "evidence",
    abstract:
      "Measure the error rates of the decision rules and compare them with other harnesses.",
    discussion: """
      Parts: \(Part.allCases.map { "\($0.rawValue) (\($0.duration))" }.joined(separator: ", ")). \
      The parts from `live` on make launches, and `paced` with --launches. Recordings come from Reports/data; \
      the other parts are simulated from a seed. `suites` runs only by --only.

      pyperf, apache-otava and signal-processing-algorithms are run if python3 has them; \
      the rules of the other harnesses are models of their source code. To install them with \
      Python 3.11 (the last one needs a C compiler and pins an older numpy than it needs):
        python3 -m venv .build/peers
        .build/peers/bin/pip install pyperf apache-otava
        .build/peers/bin/pip install 'more-itertools<9' 'structlog<25'
        .build/peers/bin/pip install --no-deps signal-processing-algorithms
        PATH="$PWD/.build/peers/bin:$PATH" Scripts/bench evidence
      """)

  @Option(parsing: .upToNextOption, help: "Run only these parts, e.g. --only recorded paced.")
  var only: [Part] = Part.allCases.filter { $0 != .suites }

  @Option(help: "New launches to record for `paced`; 0 uses the recording in Reports/data.")
  var launches = 0

  @Option(help: "Simulated comparisons over all kinds of noise and change.")
  var comparisons = 1_000_000

  @Option(help: "Simulated series per kind.")
  var series = 10_000

  @Option(help: "Live comparisons without a change; three to eight take a minute.")
  var unchanged = 300

  @Option(help: "Live comparisons with a change.")
  var slowed = 50

  @Option(
    help: ArgumentHelp(
      "A file that collects the comparisons of live, counted workloads, tool, timed, palette and "
        + "suites; the figures use all entries of the current rules, and the numbers of comparisons include them."
    ))
  var record: String?

  @Option(help: "Comparisons of live profiles with a slowed function; the same number without one.")
  var named = 60

  @Option(help: "Counted comparisons of a program with itself, linked anew.")
  var relinked = 200

  @Option(help: "Counted comparisons of each workload with a slower one.")
  var countedWorkloads = 50

  @Option(help: "Comparisons of commits that add dead code, and half as many of slower ones.")
  var deadCommits = 50

  @Option(help: "Comparisons of the C tool with itself and with a slower one, each.")
  var toolComparisons = 100

  @Option(
    help: "Recorded comparisons of each change in `timed`; 0 uses those of --record.")
  var live = 4

  @Option(help: "The time of a comparison in `timed`.")
  var budget = "5min"

  @Option(help: "Comparisons of each change in `timed` on resampled launches.")
  var replays = 40

  @Option(help: "Comparisons of palette-extract with a slower function.")
  var paletteComparisons = 50

  @Option(help: "Live comparisons of the last two commits.")
  var commits = 3

  @Option(
    parsing: .upToNextOption,
    help: "Benchmarks of package-benchmark suites in checkouts, as DIR:TARGET/NAME, for `suites`.")
  var suite: [String] = []

  @Option(help: "Comparisons of each of these benchmarks.")
  var suiteComparisons = 100

  @Option(
    parsing: .upToNextOption,
    help: "Such benchmarks of checkouts whose last commit lets an operation allocate once more.")
  var changedSuite: [String] = []

  @Option(help: "The seed of the simulations.")
  var seed: UInt64 = 1

  @Flag(help: "Print the boundaries of the looks as Swift code instead; takes a few minutes.")
  var boundaries = false

  @Option(help: "Write the figures to this Markdown file.")
  var output: String?

  func run() throws {
    guard !boundaries else { return printBoundaries() }
    let table = FigureTable()
    for part in Part.allCases where only.contains(part) {
      table.begin(part.rawValue)
      switch part {
      case .recorded: try recorded(table)
      case .paced: try paced(table)
      case .simulated:
        try simulated(table)
        simulatedDifferences(table)
        simulatedModes(table)
        simulatedLooks(table)
        try simulatedFamilies(table)
      case .functions: functions(table)
      case .tries: try tries(table)
      case .history: try history(table)
      case .live: try live(table)
      case .named: try named(table)
      case .counted: try counted(table)
      case .tool: try tool(table)
      case .timed: try timed(table)
      case .palette: try palette(table)
      case .layout: try layout(table)
      case .suites: try suites(table)
      }
    }
    if let output {
      try table.write(
        title: "Error rates of the verdicts",
        method:
          "Five metrics gate unless a figure names another number. One comparison starts at each recorded pair, so comparisons "
          + "overlap. Each part was measured by the rules of its commit. A simulated error rate is met if its interval reaches down to the limit",
        order: Part.allCases.map(\.rawValue), to: output)
    }
  }
}
