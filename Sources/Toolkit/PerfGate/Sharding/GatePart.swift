internal import PerfModel
internal import PerfReport

/// The part of a gate that a shard measures, with the facts that all shards of the gate share.
struct GatePart {
  let shard: GateShard
  /// The scenarios of all shards.
  let split: [[String]]
  /// The revisions and options of the gate, by name.
  let facts: [String: String]

  /// The scenarios of the shard.
  var scenarios: [String] { split[shard.number - 1] }

  /// The part in a sentence.
  var sentence: String {
    let names = scenarios.isEmpty ? "no scenario" : Wording.list(scenarios)
    return Wording.sentence("\(shard.title): \(names)")
  }

  /// Returns whether the shard reports a change of the rules: the first shard reports the changes that
  /// belong to no scenario of a shard.
  static func reports(_ subject: String, _ shard: GateShard, _ split: [[String]]) -> Bool {
    let owner = split.firstIndex { $0.contains(subject) } ?? 0
    return owner == shard.number - 1
  }
}

/// The choice of a shard before its scenarios are known.
struct ShardChoice {
  let shard: GateShard
  /// The probable durations of scenarios.
  let times: CommittedTimes
  /// The measured variants of each scenario; none for the default variant.
  let variants: [String]
  /// Returns the default variant of a scenario; nil if its file cannot be read.
  let defaultVariant: (String) -> String?

  /// Returns the scenarios of all shards.
  func split(_ names: [String]) -> [[String]] {
    GateShard.split(names.uniqued(), into: shard.count) { name in
      let variants = variants.isEmpty ? [defaultVariant(name)].compactMap(\.self) : variants
      return times.time(of: name, variants)
    }
  }

  /// Returns the scenarios of the shard.
  func own(_ names: [String]) -> [String] { split(names)[shard.number - 1] }
}
