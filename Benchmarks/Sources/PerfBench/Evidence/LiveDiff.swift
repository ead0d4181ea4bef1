internal import Foundation

/// One run of `perfkit diff` as a user runs it, with its answer and its duration.
struct LiveDiff {
  /// The comparison that the command reports.
  struct Answer: Decodable {
    /// A metric of the comparison.
    struct Metric: Decodable {
      /// The part of the variation that layout causes.
      struct Layout: Decodable {
        let share: Double
        let deviation: Double
      }

      let name: String
      let gating: Bool
      let verdict: String
      let decidedAt: Int?
      let estimate: Double?
      let layout: Layout?
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

    /// The comparison of the counted work.
    struct Work: Decodable {
      /// A function with its instructions; the largest difference comes first.
      struct Function: Decodable {
        let name: String
        let difference: Double
        let significant: Bool
      }

      let verdict: String
      let functions: [Function]
    }

    /// The verdict in words.
    let sentence: String
    let pairs: Int?
    let launchesPerPair: Int?
    /// The verdict on the time.
    let verdict: String
    /// The verdict on time and work together.
    let combined: String
    let metrics: [Metric]
    let functions: [Function]
    /// Nil if the work was not counted.
    let work: Work?

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
  ///   - directory: The working directory; nil for the current one.
  /// - Throws: `BenchError` when the command fails.
  init(
    _ program: String, _ words: [String], store: String, output: String,
    in directory: String? = nil
  ) throws {
    let took = try Child(
      program,
      ["diff"] + words + [
        "--store", store, "--no-report", "--quiet", "--format", "json", "--output", output,
      ], in: directory
    ).wait(watchesMemory: false)
    seconds = Double(took.wall) / 1e9
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    answer = try decoder.decode(
      Answer.self, from: try Data(contentsOf: URL(fileURLWithPath: output)))
  }

  /// Calls a function with a new run store in the usual folder, so that cached builds and data sets
  /// are shared, and removes the store.
  ///
  /// A new store for each comparison measures everything again.
  static func withStore<Result>(
    _ number: Int, _ body: (_ path: String) throws -> Result
  ) rethrows -> Result {
    let path = FileManager.default.currentDirectoryPath + "/.perfkit/evidence-\(number).sqlite"
    defer { remove(storeAt: path) }
    return try body(path)
  }

  /// Removes the files of a store.
  static func remove(storeAt path: String) {
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + ending)
    }
  }
}
