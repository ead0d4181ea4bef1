internal import Foundation

/// One `perfkit diff`, run as a user runs it, with what came of it and how long it took.
struct LiveDiff {
  /// What the command says of the comparison.
  struct Answer: Decodable {
    /// A metric of it.
    struct Metric: Decodable {
      let name: String
      let gating: Bool
      let verdict: String
      let decidedAt: Int?
    }

    /// A function of it.
    struct Function: Decodable {
      let name: String
      /// `self` or `total`.
      let kind: String
      /// Nanoseconds of CPU time a launch.
      let base: Double
      let difference: Double
      let significant: Bool
    }

    let pairs: Int?
    let launchesPerPair: Int?
    let verdict: String
    let metrics: [Metric]
    let functions: [Function]

    /// The metrics that decide.
    var gating: [Metric] { metrics.filter(\.gating) }
  }

  /// What came of it.
  let answer: Answer
  /// Seconds from the start of the command to its end.
  let seconds: Double

  /// Runs the command.
  ///
  /// - Parameters:
  ///   - program: The path of perfkit.
  ///   - words: The words after `diff`.
  ///   - store: Its store.
  ///   - output: A file for its answer.
  /// - Throws: `BenchError` when it fails.
  init(_ program: String, _ words: [String], store: String, output: String) throws {
    let took = try Child(
      program,
      ["diff"] + words + [
        "--store", store, "--no-report", "--quiet", "--format", "json", "--output", output,
      ]
    ).wait(watchesMemory: false)
    seconds = Double(took.wall) / 1e9
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    answer = try decoder.decode(
      Answer.self, from: try Data(contentsOf: URL(fileURLWithPath: output)))
  }
}
