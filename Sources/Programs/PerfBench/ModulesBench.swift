internal import ArgumentParser

/// The modules under test by their figures, each beside what else there is for the purpose.
struct ModulesBench: ParsableCommand {
  /// A part of the benchmark, one for each module.
  enum Part: String, ExpressibleByArgument, CaseIterable {
    case cache
    case palette
    case store
    case scroll
  }

  static let configuration = CommandConfiguration(
    commandName: "modules",
    abstract: "Time and memory of the book library's modules, each beside its peer.",
    discussion: """
      Parts: \(Part.allCases.map(\.rawValue).joined(separator: ", ")). What is compared is interleaved \
      in one process, in random order.
      """)

  @Option(parsing: .upToNextOption, help: "Only these parts.")
  var only: [Part] = Part.allCases

  @Option(help: "Rounds; each measures everything that is compared once.")
  var rounds = 15

  @Option(help: "A Markdown file to write the figures to.")
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
        method: "What is compared is interleaved in one process, in random order",
        order: Part.allCases.map(\.rawValue),
        to: output)
    }
  }

  /// Measures each candidate once a round, in an order that is drawn anew for each round.
  ///
  /// - Parameters:
  ///   - candidates: The name of each, and what returns one measurement.
  ///   - rounds: How many rounds; nil for the option's.
  /// - Returns: All measurements by name, round by round.
  /// - Throws: What a candidate throws.
  func interleaved(
    _ candidates: [(name: String, measure: () throws -> Double)], rounds: Int? = nil
  ) throws -> [String: [Double]] {
    var values: [String: [Double]] = [:]
    // The first round warms up.
    for round in 0...(rounds ?? self.rounds) {
      for candidate in candidates.shuffled() {
        let value = try candidate.measure()
        if round > 0 { values[candidate.name, default: []].append(value) }
      }
    }
    return values
  }
}
