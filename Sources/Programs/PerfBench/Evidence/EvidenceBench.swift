internal import ArgumentParser

/// The decision rules by their error rates, each beside those of other harnesses.
struct EvidenceBench: ParsableCommand {
  /// A part of the benchmark.
  enum Part: String, ExpressibleByArgument, CaseIterable {
    /// PerfKit's rule and its peers' on recorded launches.
    case recorded
    /// PerfKit's rule with the CPU's pace and without, on recorded launches.
    case paced
    /// PerfKit's rule on simulated launches.
    case simulated
    /// Functions named in simulated profiles.
    case functions
    /// Change points in simulated series.
    case history
    /// Comparisons by the command, of launches that are made now.
    case live
    /// Functions that the command names in profiles that are made now.
    case named
  }

  static let configuration = CommandConfiguration(
    commandName: "evidence",
    abstract: "Error rates of the decision rules, beside those of other harnesses.",
    discussion: """
      Parts: \(Part.allCases.map(\.rawValue).joined(separator: ", ")). Only `live` and `named` measure, \
      and `paced` with --launches: recordings come from Reports/data, the rest is simulated, the same for the same seed.

      pyperf, and for change points apache-otava and signal-processing-algorithms, are run where \
      python3 has them; the other harnesses' rules are models written after their sources. With \
      Python 3.11, and a C compiler for the last one, which pins an older numpy than it needs:
        python3 -m venv .build/peers
        .build/peers/bin/pip install pyperf apache-otava
        .build/peers/bin/pip install 'more-itertools<9' 'structlog<25'
        .build/peers/bin/pip install --no-deps signal-processing-algorithms
        PATH="$PWD/.build/peers/bin:$PATH" Scripts/bench evidence
      """)

  @Option(parsing: .upToNextOption, help: "Only these parts.")
  var only: [Part] = Part.allCases

  @Option(help: "Launches to record anew for `paced`; 0 for those in Reports/data.")
  var launches = 0

  @Option(help: "Simulated comparisons, over all kinds of noise and change.")
  var comparisons = 1_000_000

  @Option(help: "Simulated series of each kind.")
  var series = 10_000

  @Option(help: "Live comparisons without a change; three to eight take a minute.")
  var unchanged = 300

  @Option(help: "Live comparisons with a change.")
  var slowed = 50

  @Option(
    help: "A file that keeps live comparisons: figures are of all in it, whenever they were made.")
  var record: String?

  @Option(help: "Comparisons of live profiles with a slowed function, and as many without.")
  var named = 60

  @Option(help: "Live comparisons of the last two commits; 0 for none.")
  var commits = 3

  @Option(help: "Seed of the simulations.")
  var seed: UInt64 = 1

  @Flag(help: "Print the tables of the looks' boundaries instead; takes some minutes.")
  var boundaries = false

  @Option(help: "A Markdown file to write the figures to.")
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
      case .functions: functions(table)
      case .history: try history(table)
      case .live: try live(table)
      case .named: try named(table)
      }
    }
    if let output {
      try table.write(
        title: "The evidence's figures",
        method:
          "Five metrics gate. Comparisons of the recordings begin at each recorded pair, so they "
          + "overlap; simulated error rates are met where their interval reaches down to the limit",
        order: Part.allCases.map(\.rawValue), to: output)
    }
  }
}
