internal import Foundation
internal import PerfModel

/// Whether the profile is true: against a program whose shares are known, and against perf.
extension ProfilerBench {
  /// The phases of `bench.phases` burn 67, 18, 12 and 3 % of its time, by the counts of its loops.
  func truth(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let wanted = [("layout", 67.0), ("gradient", 18.0), ("decode", 12.0), ("other", 3.0)]
    var worst: [String: Double] = [:]
    var smallest: [Double] = []
    for _ in 0..<5 {
      let (_, profile) = try workshop.launch(
        "bench.phases", parameters: ["seconds": .double(5)],
        setting: BenchWorkshop.Setting(name: "perfkit", rate: 1000))
      guard let profile else { return }
      var weights: [String: Double] = [:]
      for count in profile.counts where count.state == .running {
        let names = profile.path(of: count.node).map(\.name)
        for (phase, _) in wanted where names.contains("Phases.\(phase)()") {
          weights[phase, default: 0] += count.weight
        }
      }
      let total = weights.values.reduce(0, +)
      for (phase, share) in wanted {
        let found = 100 * weights[phase, default: 0] / max(total, 1)
        worst[phase] = max(worst[phase] ?? 0, abs(found - share))
        if phase == "other" { smallest.append(found) }
      }
    }
    let text = wanted.map { "\($0.0) \(Self.number(worst[$0.0] ?? .nan))" }
    table.add(
      "truth: phases of 67/18/12/3 %, 5 s at 1 kHz, worst of 5 in points", target: "<= 1.5 each",
      measured: text.joined(separator: ", "), isMet: worst.values.allSatisfy { $0 <= 1.5 })
    table.add(
      "the phase of 3 %, as it was found", target: "not below 3 % by more than chance",
      measured: smallest.map(Self.number).joined(separator: ", "))
  }

  /// Public programs of Debian, each under both profilers.
  func agreement(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    guard let perf = workshop.tool("perf") else {
      return table.add("agreement with perf", measured: "perf is not installed")
    }
    let text = workshop.file("words.txt")
    try Self.words(bytes: 400 << 20).write(to: URL(fileURLWithPath: text))
    let programs: [(name: String, words: [String])] = [
      ("gzip", ["/usr/bin/gzip", "-6", "-c", text]),
      (
        "sqlite3",
        [
          "/usr/bin/sqlite3", ":memory:",
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 16000000)
          SELECT count(DISTINCT i * 7919 % 100003), sum(length(hex(i))) FROM n;
          """,
        ]
      ),
      (
        "python3",
        [
          "/usr/bin/python3", "-c",
          """
          import json
          value = {"k%d" % i: [i, str(i), {"x": i / 3}] for i in range(2000)}
          for _ in range(5000): value = json.loads(json.dumps(value))
          """,
        ]
      ),
    ]
    for (name, words) in programs {
      guard FileManager.default.isExecutableFile(atPath: words[0]) else {
        table.add("agreement with perf: \(name)", measured: "\(words[0]) is not installed")
        continue
      }
      guard let profile = try workshop.record(words, rate: 2000) else { continue }
      let own = Self.shares(of: profile)
      let other = try PerfScript.record(
        words, perf: perf, rate: 1999, data: workshop.file("perf.data"))
      let names = Set(own.shares.keys).union(other.shares.keys)
      let differences = names.map { key -> (name: String, own: Double, other: Double) in
        (key, own.shares[key] ?? 0, other.shares[key] ?? 0)
      }.filter { max($0.own, $0.other) > 2 }
      let worst = differences.max { abs($0.own - $0.other) < abs($1.own - $1.other) }
      let gap = worst.map { abs($0.own - $0.other) } ?? 0
      table.add(
        "agreement with perf: \(name)",
        target: "every function over 2 % within 2 points, >= 20,000 samples a side",
        measured: "\(differences.count) functions, worst \(Self.number(gap)) points"
          + (worst.map { " (\($0.name): \(Self.number($0.own)) and \(Self.number($0.other)) %)" }
            ?? ""),
        peer: "\(own.samples) samples of ours, \(other.samples) of perf's",
        isMet: gap <= 2 && min(own.samples, other.samples) >= 20_000)
    }
  }

  /// Self time in percent by function as the linker knows it, inlined ones in those that hold them.
  private static func shares(of profile: Profile) -> (shares: [String: Double], samples: Int) {
    var weights: [String: Double] = [:]
    var samples = 0
    for count in profile.counts where count.state == .running {
      guard let frame = profile.path(of: count.node).first(where: { !$0.isInlined }) else {
        continue
      }
      weights[PerfScript.key(frame.name, module: frame.module), default: 0] += count.weight
      samples += count.samples
    }
    let total = max(weights.values.reduce(0, +), 1)
    return (weights.mapValues { 100 * $0 / total }, samples)
  }

  /// Text as compressible as prose: words of a small vocabulary in an order without pattern.
  private static func words(bytes: Int) -> Data {
    var state: UInt64 = 88_172_645_463_325_252
    func next(_ limit: UInt64) -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state % limit
    }
    let vocabulary = (0..<4096).map { _ in
      (0..<(2 + next(8))).map { _ in UInt8(97 + next(26)) } + [32]
    }
    var text: [UInt8] = []
    text.reserveCapacity(bytes + 16)
    while text.count < bytes { text += vocabulary[Int(next(64) * next(64))] }
    return Data(text)
  }
}
