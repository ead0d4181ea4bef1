internal import Foundation
internal import PerfModel

/// Live comparisons kept line by line in a file, so that hundreds of them can be made in several goes.
struct LiveRecord {
  /// One comparison.
  struct Entry: Codable {
    /// The variant that was compared with the base.
    let variant: String
    /// Its seed: the order of the launches.
    let seed: Int
    /// When it ended.
    let date: String
    let commit: String
    let machine: String
    /// How long the whole command took.
    let seconds: Double
    let answer: Answer
  }

  /// What the command said of it.
  struct Answer: Codable {
    /// A metric that decides.
    struct Metric: Codable {
      let name: String
      let verdict: String
      /// After how many pairs; nil when it was not decided.
      let decidedAt: Int?
    }

    let verdict: String
    let pairs: Int
    let metrics: [Metric]
  }

  /// All comparisons, those of earlier goes first.
  private(set) var entries: [Entry] = []
  private let file: String?

  /// Reads a file.
  ///
  /// - Parameter file: Its path; one that is not there is empty. Nil keeps nothing.
  /// - Throws: What Foundation throws of a file that cannot be read.
  init(file: String?) throws {
    self.file = file
    guard let file, FileManager.default.fileExists(atPath: file) else { return }
    let text = try String(contentsOfFile: file, encoding: .utf8)
    entries = try text.split(separator: "\n").map { line in
      try JSONDecoder().decode(Entry.self, from: Data(line.utf8))
    }
  }

  /// The comparisons with a variant.
  func of(_ variant: String) -> [Entry] { entries.filter { $0.variant == variant } }

  /// Adds a comparison, and writes it down before the next one begins.
  mutating func add(_ entry: Entry) throws {
    entries.append(entry)
    guard let file else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = try encoder.encode(entry) + Data("\n".utf8)
    if !FileManager.default.fileExists(atPath: file) {
      try Data().write(to: URL(fileURLWithPath: file))
    }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
    defer { try? handle.close() }
    try handle.seekToEnd()
    try handle.write(contentsOf: line)
  }
}

extension LiveRecord.Answer {
  /// Pairs until everything that decides was decided; nil when something was not.
  var pairsUntilDecided: Int? {
    let decided = metrics.compactMap(\.decidedAt)
    return decided.count == metrics.count ? decided.max() : nil
  }

  /// What the command said.
  init(_ answer: LiveDiff.Answer) {
    self.init(
      verdict: answer.verdict, pairs: answer.pairs ?? 0,
      metrics: answer.gating.map {
        Metric(name: $0.name, verdict: $0.verdict, decidedAt: $0.decidedAt)
      })
  }
}
