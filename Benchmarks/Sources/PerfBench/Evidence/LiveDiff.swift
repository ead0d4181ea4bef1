internal import Foundation

/// One run of `perfkit diff` as a user runs it, with its answer and its duration.
struct LiveDiff {
  /// The comparison that the command reports.
  struct Answer: Decodable {
    /// A metric of the comparison.
    struct Metric: Decodable {
      let name: String
      let gating: Bool
      let verdict: String
      let decidedAt: Int?
    }

    /// A function of the comparison.
    struct Function: Decodable {
      let name: String
      /// `self` or `total`.
      let kind: String
      /// CPU time per launch in nanoseconds.
      let base: Double
      let difference: Double
      let significant: Bool
    }

    let pairs: Int?
    let launchesPerPair: Int?
    let verdict: String
    let metrics: [Metric]
    let functions: [Function]

    /// The gating metrics.
    var gating: [Metric] { metrics.filter(\.gating) }
  }

  /// The reported comparison.
  let answer: Answer
  /// The duration of the command in seconds.
  let seconds: Double

  /// Runs the command.
  ///
  /// - Parameters:
  ///   - program: The path of perfkit.
  ///   - words: The arguments after `diff`.
  ///   - store: The run store.
  ///   - output: A file for the answer.
  /// - Throws: `BenchError` when the command fails.
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
