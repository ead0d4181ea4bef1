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
    /// The command; nil if it is not installed.
    let words: [String]?
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

  /// Profiles each program with each engine and perf in turns.
  ///
  /// Functions are compared by their start, because one address has many names and stripped
  /// programs have none. The agent adds a thread to the program, and with two threads libc uses
  /// atomic instructions for its locks. Beside the agent, perf therefore profiles the program with an
  /// additional idle thread.
  func agreement(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    guard let perf = workshop.tool("perf") else {
      return table.add("agreement with perf", measured: "perf is not installed")
    }
    let thread = try workshop.sleepingThread()
    for subject in try subjects(workshop)
    where programs.isEmpty || programs.contains(where: subject.name.hasPrefix) {
      guard let words = subject.words else {
        table.add("agreement with perf: \(subject.name)", measured: "it is not installed")
        continue
      }
      for engine in [SamplingEngine.signal, .perf] {
        let name = "agreement with perf: \(subject.name), engine \(engine.rawValue)"
        if engine == .perf, let obstacle = EventSession.obstacle() {
          table.add(name, measured: "refused: \(obstacle)")
          continue
        }
        let pair = try profiles(
          of: words, by: engine, beside: perf, preloading: engine == .signal ? thread : nil,
          workshop)
        table.add(
          name, target: "every function over 2 % within 2 points, >= 20,000 samples per side",
          measured: "\(pair.compared.count) functions, worst \(pair.worst)",
          peer: "\(pair.samples) samples of PerfKit, \(pair.perf.samples) of perf",
          isMet: pair.gap <= 2 && min(pair.samples, pair.perf.samples) >= Self.leastSamples)
      }
    }
  }

  private func profiles(
    of words: [String], by engine: SamplingEngine, beside perf: String, preloading thread: String?,
    _ workshop: BenchWorkshop
  ) throws -> ProfilePair {
    let places = FunctionPlaces()
    var pair = ProfilePair(own: [:], samples: 0, perf: PerfScript(), places: places)
    func record() throws {
      pair.perf.add(
        try PerfScript.record(
          (thread.map { ["/usr/bin/env", "LD_PRELOAD=\($0)"] } ?? []) + words,
          perf: perf, rate: 1999, data: workshop.file("perf.data"), places))
    }
    // Four launches per side, and more on a fast machine.
    for round in 0..<12
    where round < 4 || min(pair.samples, pair.perf.samples) < Self.leastSamples {
      // The profilers take turns to go first, because the speed of the machine may drift.
      if round % 2 == 1 { try record() }
      let captures = Mutex<[Capture]>([])
      _ = try workshop.record(words, rate: 2000, engine: engine, followsChildren: true) { capture in
        captures.withLock { $0.append(capture) }
      }
      if round % 2 == 0 { try record() }
      let found = try places.selfTime(of: captures.withLock { $0 })
      pair.own.merge(found.nanoseconds, uniquingKeysWith: +)
      pair.samples += found.samples
    }
    return pair
  }

  private func subjects(_ workshop: BenchWorkshop) throws -> [ProfiledProgram] {
    let text = workshop.file("words.txt")
    try Self.words(bytes: 140 << 20).write(to: URL(fileURLWithPath: text))
    return [
      ProfiledProgram(
        name: "gzip", words: workshop.tool("gzip").map { [$0, "-6", "-c", text] }),
      ProfiledProgram(
        name: "sqlite3",
        words: workshop.tool("sqlite3").map {
          [
            $0, ":memory:",
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000000)
            SELECT count(DISTINCT i * 7919 % 100003), sum(length(hex(i))) FROM n;
            """,
          ]
        }),
      ProfiledProgram(
        name: "python3",
        // A python3 in PATH may be a script that starts another one.
        words: workshop.tool("/usr/bin/python3").map {
          [
            $0, "-c",
            """
            import json
            value = {"k%d" % i: [i, str(i), {"x": i / 3}] for i in range(2000)}
            for _ in range(1500): value = json.loads(json.dumps(value))
            """,
          ]
        }),
      ProfiledProgram(
        name: "redis with its load", words: try redis(workshop)),
      ProfiledProgram(name: "postgres", words: try postgres(workshop)),
    ]
  }

  /// Returns a command that runs a server under load and stops it; nil without redis.
  private func redis(_ workshop: BenchWorkshop) throws -> [String]? {
    guard let server = workshop.tool("redis-server"), let load = workshop.tool("redis-benchmark"),
      let client = workshop.tool("redis-cli")
    else { return nil }
    let socket = workshop.file("redis.sock")
    let script = """
      \(server) --port 0 --unixsocket \(socket) --save '' &
      until \(client) -s \(socket) ping; do :; done
      \(load) -s \(socket) -n 150000 -c 20 -r 10000 -t set,get,lpush,zadd -q
      \(client) -s \(socket) shutdown nosave
      wait
      """
    return ["/bin/sh", "-c", script]
  }

  /// Returns a command that runs queries without a server; nil without PostgreSQL.
  private func postgres(_ workshop: BenchWorkshop) throws -> [String]? {
    let versions = "/usr/lib/postgresql"
    let installed = (try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []
    guard let version = installed.max(), let user = workshop.tool("runuser") else { return nil }
    let programs = "\(versions)/\(version)/bin"
    let (data, queries) = (workshop.file("postgres"), workshop.file("queries.sql"))
    try """
    select count(*), sum(length(md5(i::text))) from generate_series(1, 1500000) i;
    select i % 1000, count(*), avg(i * 1.5) from generate_series(1, 1500000) i group by 1 order by 2, 1;

    """.write(toFile: queries, atomically: true, encoding: .utf8)
    let prepare =
      "install -d -o postgres \(data) && \(user) -u postgres -- \(programs)/initdb -D \(data)"
    _ = try PerfScript.run("/bin/sh", ["-c", prepare], keepsOutput: false)
    return [
      "/bin/sh", "-c",
      "\(user) -u postgres -- \(programs)/postgres --single -D \(data) postgres < \(queries)",
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
