internal import Foundation
internal import PerfModel
internal import PerfStore

/// Live comparisons in a file, one per line, so that hundreds of them can be made in several
/// sessions.
struct LiveRecord {
  /// The version of the decision rules.
  ///
  /// A comparison that other rules decided counts for no figure.
  private static let currentRules = 3

  /// One comparison.
  struct Entry: Codable {
    /// The version of the decision rules; nil before there were versions.
    private(set) var rules: Int? = LiveRecord.currentRules
    /// The variant that was compared with the base.
    let variant: String
    /// The seed of the launch order.
    let seed: Int
    /// The time of the comparison's end.
    let date: String
    let commit: String
    let machine: String
    /// The duration of the whole command in seconds.
    let seconds: Double
    let answer: Answer
    /// The function with a change of its work.
    var function: String?
    /// The launches, if other rules judge them as well.
    var launches: Launches?
    /// The relative change of the work, if it was counted alone.
    var change: Double?
  }

  /// The answer of the command.
  struct Answer: Codable {
    /// A gating metric.
    struct Metric: Codable {
      let name: String
      let verdict: String
      /// The number of pairs at the decision; nil when the metric was not decided.
      let decidedAt: Int?
    }

    let verdict: String
    let pairs: Int
    let metrics: [Metric]
    /// The verdict on time and work together; nil if the work was not counted.
    var combined: String?
    /// The verdict on the work.
    var work: String?
    /// The function with the largest change of its work.
    var culprit: String?

    /// Whether it is an alarm if the program did not change; a void comparison says nothing about that.
    var isAlarm: Bool { isChanged && verdict != "void" }

    /// Whether time or work of any gating metric changed.
    var isChanged: Bool {
      (metrics.map(\.verdict) + [work ?? ""]).contains { $0 == "regressed" || $0 == "improved" }
    }
  }

  /// The launches of both sides of a comparison, in order.
  struct Launches: Codable {
    let perPair: Int
    /// The values of each metric, one per launch; nil for a launch without it.
    let base: [String: [Double?]]
    let candidate: [String: [Double?]]

    /// Reads the latest comparison of a store.
    ///
    /// - Throws: `StoreError`, or `BenchError` without launches.
    init(_ metrics: [String], perPair: Int, inStoreAt path: String) throws {
      let store = try RunStore(path: path, access: .reading)
      guard let leg = try store.comparisons(limit: 1).first?.legs.last else {
        throw BenchError(description: "the comparison in '\(path)' has no launches")
      }
      let sides = try [leg.base, leg.candidate].map { id -> [String: [Double?]] in
        let launches = try store.run(id: id, including: []).profiled
        return Dictionary(
          uniqueKeysWithValues: metrics.map { name in
            (name, launches.map { $0.metrics[name] })
          })
      }
      self.perPair = perPair
      (base, candidate) = (sides[0], sides[1])
    }

    /// The number of complete pairs.
    var pairs: Int {
      (base.values.map(\.count) + candidate.values.map(\.count)).min().map { $0 / perPair } ?? 0
    }

    /// Returns the values of both sides of a pair.
    func pair(_ index: Int) -> LaunchPair {
      func side(_ values: [String: [Double?]]) -> [LaunchPair.Values] {
        (0..<perPair).map { launch in values.compactMapValues { $0[index * perPair + launch] } }
      }
      return LaunchPair(base: side(base), candidate: side(candidate))
    }

    /// The values of a metric, of complete pairs only.
    func values(of metric: String) -> LaunchPairValues {
      let count = pairs * perPair
      return (
        base[metric, default: []].prefix(count).compactMap(\.self),
        candidate[metric, default: []].prefix(count).compactMap(\.self)
      )
    }
  }

  /// All comparisons of this and earlier sessions by the current rules.
  private(set) var entries: [Entry] = []
  private let file: String?

  /// Reads a file.
  ///
  /// - Parameter file: The path; a missing file counts as empty. Nil keeps the entries in memory
  ///   only.
  /// - Throws: Foundation's error for an unreadable file.
  init(file: String?) throws {
    self.file = file
    guard let file, FileManager.default.fileExists(atPath: file) else { return }
    let text = try String(contentsOfFile: file, encoding: .utf8)
    entries = try text.split(separator: "\n").map { line in
      try JSONDecoder().decode(Entry.self, from: Data(line.utf8))
    }.filter { $0.rules == Self.currentRules }
  }

  /// Returns the comparisons with a variant.
  func of(_ variant: String) -> [Entry] { entries.filter { $0.variant == variant } }

  /// Returns the seeds of the comparisons with a variant that the record lacks to a number of them.
  func missing(_ variant: String, of count: Int) -> Range<Int> {
    let made = of(variant)
    let first = (made.map(\.seed).max() ?? 0) + 1
    return first..<(first + max(0, count - made.count))
  }

  /// Adds a comparison and appends it to the file at once.
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
  /// The number of pairs until all gating metrics were decided; nil when one was not.
  var pairsUntilDecided: Int? {
    let decided = metrics.compactMap(\.decidedAt)
    return decided.count == metrics.count ? decided.max() : nil
  }

  /// Creates an answer from the command's answer.
  init(_ answer: LiveDiff.Answer) {
    self.init(
      verdict: answer.verdict, pairs: answer.pairs ?? 0,
      metrics: answer.gating.map {
        Metric(name: $0.name, verdict: $0.verdict, decidedAt: $0.decidedAt)
      }, combined: answer.work.map { _ in answer.combined }, work: answer.work?.verdict,
      culprit: answer.work?.functions.first { $0.significant }?.name)
  }
}
