internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import Synchronization

/// The agreement of PerfKit's profiles of Debian programs with perf's.
extension ProfilerBench {
  /// The minimum number of samples per side; with fewer, two profilers may differ by chance.
  private static let leastSamples = 20_000

  /// A program to profile.
  private struct ProfiledProgram {
    let name: String
    let words: [String]
  }

  /// The profiles of both profilers by function.
  private struct ProfilePair {
    var own: [FunctionPlaces.Function: Double]
    var samples: Int
    var perf: PerfScript
    let places: FunctionPlaces

    /// The functions above 2 % in either profile, the largest difference first.
    var compared: [(name: String, own: Double, other: Double)] {
      let total = max(own.values.reduce(0, +), 1)
      return Set(own.keys).union(perf.counts.keys).map { function in
        (
          name: perf.names[function] ?? places.name(of: function),
          own: 100 * own[function, default: 0] / total, other: perf.share(of: function)
        )
      }.filter { max($0.own, $0.other) > 2 }.sorted {
        abs($0.own - $0.other) > abs($1.own - $1.other)
      }
    }

    var gap: Double { compared.first.map { abs($0.own - $0.other) } ?? 0 }

    var worst: String {
      compared.first.map {
        "\(ProfilerBench.number(gap)) points (\($0.name): \(ProfilerBench.number($0.own)) and "
          + "\(ProfilerBench.number($0.other)) %)"
      } ?? "nothing"
    }
  }

  /// Profiles each program with both profilers in turns.
  ///
  /// Functions are compared by their start, because one address has many names and stripped
  /// programs have none. PerfKit adds a thread to the program, and with two threads libc uses
  /// atomic instructions for its locks. perf therefore profiles the program with an additional idle
  /// thread, and once without it.
  func agreement(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    guard let perf = workshop.tool("perf") else {
      return table.add("agreement with perf", measured: "perf is not installed")
    }
    let thread = try workshop.sleepingThread()
    for subject in try subjects(workshop) {
      guard FileManager.default.isExecutableFile(atPath: subject.words[0]) else {
        table.add(
          "agreement with perf: \(subject.name)",
          measured: "\(subject.words[0]) is not installed")
        continue
      }
      let places = FunctionPlaces()
      var (theirs, alone) = (PerfScript(), PerfScript())
      let record = { (preloaded: String?) in
        try PerfScript.record(
          (preloaded.map { ["/usr/bin/env", "LD_PRELOAD=\($0)"] } ?? []) + subject.words,
          perf: perf, rate: 1999, data: workshop.file("perf.data"), places)
      }
      var own: [FunctionPlaces.Function: Double] = [:]
      var samples = 0
      // Four launches per side, and more on a fast machine.
      for round in 0..<12
      where round < 4 || min(samples, theirs.samples) < Self.leastSamples {
        // The profilers alternate in the order, because the machine may drift.
        if round % 2 == 1 { theirs.add(try record(thread)) }
        let captures = Mutex<[Capture]>([])
        _ = try workshop.record(subject.words, rate: 2000) { capture in
          captures.withLock { $0.append(capture) }
        }
        if round % 2 == 0 { theirs.add(try record(thread)) }
        let found = try places.selfTime(of: captures.withLock { $0 })
        own.merge(found.nanoseconds, uniquingKeysWith: +)
        samples += found.samples
      }
      if thread != nil { alone.add(try record(nil)) }
      let found = ProfilePair(own: own, samples: samples, perf: theirs, places: places)
      let other = ProfilePair(own: own, samples: samples, perf: alone, places: places)
      table.add(
        "agreement with perf: \(subject.name)",
        target: "every function over 2 % within 2 points, >= 20,000 samples per side",
        measured: "\(found.compared.count) functions, worst \(found.worst)",
        peer: "\(samples) samples of PerfKit, \(theirs.samples) of perf"
          + (thread == nil ? "" : "; perf without a second thread: \(other.worst)"),
        isMet: found.gap <= 2 && min(samples, theirs.samples) >= Self.leastSamples)
    }
  }

  private func subjects(_ workshop: BenchWorkshop) throws -> [ProfiledProgram] {
    let text = workshop.file("words.txt")
    try Self.words(bytes: 140 << 20).write(to: URL(fileURLWithPath: text))
    return [
      ProfiledProgram(name: "gzip", words: ["/usr/bin/gzip", "-6", "-c", text]),
      ProfiledProgram(
        name: "sqlite3",
        words: [
          "/usr/bin/sqlite3", ":memory:",
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000000)
          SELECT count(DISTINCT i * 7919 % 100003), sum(length(hex(i))) FROM n;
          """,
        ]),
      ProfiledProgram(
        name: "python3",
        words: [
          "/usr/bin/python3", "-c",
          """
          import json
          value = {"k%d" % i: [i, str(i), {"x": i / 3}] for i in range(2000)}
          for _ in range(1500): value = json.loads(json.dumps(value))
          """,
        ]),
    ]
  }

  /// Returns text as compressible as prose: words of a small vocabulary in random order.
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
