internal import ArgumentParser

/// The figures of the book library's modules, each compared with alternatives.
struct ModulesBench: ParsableCommand {
  /// A part of the benchmark, one per module.
  enum Part: String, ExpressibleByArgument, CaseIterable {
    case cache
    case palette
    case store
    case scroll
  }

  static let configuration = CommandConfiguration(
    commandName: "modules",
    abstract: "Measure the time and memory of the book library's modules and their alternatives.",
    discussion: """
      Parts: \(Part.allCases.map(\.rawValue).joined(separator: ", ")). Compared measurements are interleaved \
      in one process, in random order.
      """)

  @Option(parsing: .upToNextOption, help: "Run only these parts, e.g. --only cache store.")
  var only: [Part] = Part.allCases

  @Option(help: "Rounds, each of which measures every candidate once.")
  var rounds = 15

  @Option(help: "Write the figures to this Markdown file.")
  var output: String?

  func run() throws {
    let table = FigureTable()
    for part in Part.allCases where only.contains(part) {
      table.begin(part.rawValue)
      switch part {
      case .cache: try cache(table)
      case .palette: try palette(table)
      case .store: try store(table)
      case .scroll: try scroll(table)
      }
    }
    if let output {
      try table.write(
        title: "The modules' figures",
        method: "Compared measurements are interleaved in one process, in random order",
        order: Part.allCases.map(\.rawValue),
        to: output)
    }
  }

  /// Measures each candidate once per round, in a new random order for each round.
  ///
  /// - Parameters:
  ///   - candidates: The name of each candidate and a function that returns one measurement.
  ///   - rounds: The number of rounds; nil uses the option.
  /// - Returns: All measurements by name, in the order of the rounds.
  /// - Throws: The error of a candidate.
  func interleaved(
    _ candidates: [(name: String, measure: () throws -> Double)], rounds: Int? = nil
  ) throws -> [String: [Double]] {
    var values: [String: [Double]] = [:]
    // The first round is a warm-up.
    for round in 0...(rounds ?? self.rounds) {
      for candidate in candidates.shuffled() {
        let value = try candidate.measure()
        if round > 0 { values[candidate.name, default: []].append(value) }
      }
    }
    return values
  }
}
