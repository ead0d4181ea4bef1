internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import PerfHub
internal import PerfModel
internal import PerfStatistics
internal import PerfStore
internal import Synchronization

/// The hub: the time of a push, of pulls among many runs, and of the queue with many runners; the verdicts of runners of
/// three classes.
struct HubBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hub",
    abstract: "Measure the time of pushes, pulls and jobs of a hub.",
    discussion:
      "The variables of libpq name a server, whose user may create databases; Scripts/bench starts one."
  )

  @Option(help: "The runs of all scenarios on the hub.")
  var runs = 100_000

  @Option(help: "The runs of the pulled scenario.")
  var history = 5000

  @Option(help: "The jobs of the queue.")
  var jobs = 4000

  @Option(help: "The runners that take jobs at the same time.")
  var runners = 32

  @Option(help: "The comparisons that are submitted for three classes of machines.")
  var diffs = 30

  @Option(help: "The repetitions of each push and pull.")
  var repetitions = 7

  @Option(help: "The Markdown file with the figures.")
  var output = "Reports/hub.md"

  static let url = "postgresql:///perfbench"

  func run() throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let table = FigureTable()
    let perfkit = try workshop.program("perfkit")
    _ = try Child("/usr/bin/env", ["createdb", "perfbench"]).wait(watchesMemory: false)
    let address = try HubAddress(Self.url)
    _ = try Hub.initialise(address, isCancelled: { false })
    let store = workshop.file("push.sqlite")
    try makeRun(perfkit, store, workshop)
    table.begin("push")
    try measurePush(perfkit, store, among: 0, table)
    table.begin("pull")
    let model = try RunStore(path: store, access: .reading).run(
      id: RunStore(path: store, access: .reading).headers()[0].id, including: [])
    try fillHistory(model, address, workshop)
    for count in [runs / 10, runs] {
      try fillOthers(upTo: count)
      try measurePush(perfkit, store, among: count, table)
      try measurePull(perfkit, among: count, workshop, table)
    }
    table.begin("queue")
    try measureQueue(address, table)
    try measureList(of: perfkit, address, table)
    table.begin("classes")
    try measureClasses(perfkit, address, workshop, table)
    try table.write(
      title: "The hub", method: "PostgreSQL, the command and the runners share the machine",
      order: ["push", "pull", "queue", "classes"], to: output)
  }

  // MARK: - Push

  /// Makes the run that is pushed and copied.
  private func makeRun(_ perfkit: String, _ store: String, _ workshop: BenchWorkshop) throws {
    try """
    scenario: history
    summary: Threads that burn CPU for a while.
    workload: bench.burn
    worker: \(try workshop.program("BenchWorkloads"))
    parameters: { seconds: 2, threads: 2 }
    variants: { busy: {} }
    default_variant: busy
    iterations: 10
    warmup: 0
    """.write(toFile: workshop.file("history.yml"), atomically: true, encoding: .utf8)
    _ = try Child(
      perfkit,
      [
        "run", "history", "--scenarios", workshop.file(""), "--store", store, "--no-report",
        "--quiet",
      ]
    ).wait(watchesMemory: false)
  }

  private func measurePush(
    _ perfkit: String, _ store: String, among count: Int, _ table: FigureTable
  ) throws {
    let run = try RunStore(path: store, access: .reading).headers()[0]
    let walls = try (0..<repetitions).map { _ in
      let wall = try wall(
        perfkit, ["hub", "push", "latest", "--hub", Self.url, "--store", store, "--quiet"])
      try sql("DELETE FROM perfkit.runs WHERE id = '\(run.id)'")
      return wall
    }
    try add(
      walls,
      "push of a run of 10 launches and \(run.samples ?? 0) samples"
        + (count > 0 ? " to \(NumberFormat.grouped(count)) runs" : ""), target: 300, table)
  }

  // MARK: - Pull

  private func copy(_ model: Run, _ number: Int) -> Run {
    Run(
      id: "rhistory\(number)", scenario: model.scenario, variant: model.variant, label: nil,
      started: Timestamp(milliseconds: model.started.milliseconds - Int64(number) * 60_000),
      seed: model.seed, parameters: model.parameters, command: model.command,
      environment: model.environment, definitions: model.definitions, launches: model.launches,
      budgets: model.budgets, profile: nil, warnings: [], wasInterrupted: false)
  }

  /// Pushes copies of a run under other ids.
  private func fillHistory(
    _ model: Run, _ address: HubAddress, _ workshop: BenchWorkshop
  ) throws {
    let store = try RunStore(path: workshop.file("history.sqlite"))
    for number in 0..<history { try store.save(copy(model, number)) }
    _ = try Hub(address, isCancelled: { false }).push(store.headers().map(\.id), of: store)
  }

  /// Adds runs of other scenarios by the server alone; they are never pulled.
  private func fillOthers(upTo count: Int) throws {
    try sql(
      """
      INSERT INTO perfkit.runs (id, scenario, variant, commit_hash, machine, host, started_ms,
        launches, failed, is_interrupted, digest, record, record_size)
      SELECT 'rother' || number, 'other' || number % 200, variant, commit_hash, machine, host,
        started_ms - number, launches, failed, is_interrupted, digest, record, record_size
      FROM perfkit.runs, generate_series(
        (SELECT count(*) FROM perfkit.runs) + 1, \(count)) AS number
      WHERE id = 'rhistory0';
      ANALYZE;
      """)
  }

  private func measurePull(
    _ perfkit: String, among count: Int, _ workshop: BenchWorkshop, _ table: FigureTable
  ) throws {
    let words = ["hub", "pull", "history", "--hub", Self.url, "--quiet", "--store"]
    let among = "of \(history) runs among \(NumberFormat.grouped(count))"
    var (first, second): ([Double], [Double]) = ([], [])
    for repetition in 0..<max(3, repetitions / 2) {
      let store = workshop.file("pull\(count)-\(repetition).sqlite")
      first.append(try wall(perfkit, words + [store]))
      second.append(try wall(perfkit, words + [store]))
    }
    try add(first, "first pull of the history \(among)", target: 2000, table)
    try add(second, "second pull of the history \(among)", target: 300, table)
    let list = try (0..<repetitions).map { _ in
      try wall(perfkit, ["hub", "list", "history", "--hub", Self.url])
    }
    try add(list, "list of the latest 50 \(among)", target: nil, table)
  }

  // MARK: - Queue

  private func submitJobs(_ hub: Hub) throws {
    let request = JobRequest(
      repository: "https://example.org/a.git", base: "v1", candidate: "v2", scenario: "history")
    for _ in 0..<jobs { _ = try hub.submit(request) }
  }

  /// Lets runners take and finish all jobs.
  ///
  /// - Parameters:
  ///   - address: The hub.
  ///   - body: Repeated meanwhile.
  /// - Returns: The numbers of the finished jobs.
  /// - Throws: The error of a runner or of `body`.
  private func finishJobs(_ address: HubAddress, while body: () throws -> Void) throws -> [Int] {
    let taken = Mutex<[Int]>([])
    let problems = Mutex<[String]>([])
    let threads = (0..<runners).map { runner in
      Thread {
        do {
          let hub = try Hub(address, isCancelled: { false })
          while let job = try hub.take(as: "runner \(runner)", classes: [], lease: .seconds(60)) {
            if try hub.finish(job, .done) { taken.withLock { $0.append(job.number) } }
          }
        } catch {
          problems.withLock { $0.append("\(error)") }
        }
      }
    }
    for thread in threads { thread.start() }
    while threads.contains(where: { !$0.isFinished }) { try body() }
    if let problem = problems.withLock({ $0.first }) { throw BenchError(description: problem) }
    return taken.withLock { $0 }
  }

  private func measureQueue(_ address: HubAddress, _ table: FigureTable) throws {
    let began = ContinuousClock.now
    try submitJobs(Hub(address, isCancelled: { false }))
    let submitted = ContinuousClock.now
    let numbers = try finishJobs(address) { usleep(1000) }
    let ended = ContinuousClock.now
    let rate = Double(numbers.count) / Self.seconds(from: submitted, to: ended)
    let all = Double(jobs) / Self.seconds(from: began, to: ended)
    table.add(
      "jobs taken and finished by \(runners) runners", target: ">= 200 a second",
      measured: "\(NumberFormat.significant(rate)) a second; with one submitter before, "
        + "\(NumberFormat.significant(all)) a second", isMet: all >= 200)
    table.add(
      "jobs done", target: "each once",
      measured: "\(Set(numbers).count) different of \(jobs), \(numbers.count) in all",
      isMet: Set(numbers).count == jobs && numbers.count == jobs)
  }

  /// Measures `hub jobs` while runners take and finish jobs, which it slows down.
  private func measureList(
    of perfkit: String, _ address: HubAddress, _ table: FigureTable
  ) throws {
    try submitJobs(Hub(address, isCancelled: { false }))
    var walls: [Double] = []
    _ = try finishJobs(address) {
      walls.append(try wall(perfkit, ["hub", "jobs", "--hub", Self.url]))
    }
    let count = NumberFormat.grouped(2 * jobs)
    try add(
      walls, "list of the latest 50 of \(count) jobs under \(runners) runners", target: nil, table)
  }

  private static func seconds(
    from start: ContinuousClock.Instant, to end: ContinuousClock.Instant
  ) -> Double {
    let time = start.duration(to: end).components
    return Double(time.seconds) + Double(time.attoseconds) / 1e18
  }

  // MARK: - Programs

  private func sql(_ statements: String) throws {
    _ = try Child(
      "/usr/bin/env",
      ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", "perfbench", "-c", statements]
    )
    .wait(watchesMemory: false)
  }

  /// Returns the wall time of a child in nanoseconds.
  private func wall(_ program: String, _ words: [String]) throws -> Double {
    Double(try Child(program, words).wait(watchesMemory: false).wall)
  }

  private func add(
    _ walls: [Double], _ figure: String, target milliseconds: Double?, _ table: FigureTable
  ) throws {
    let median = try Quantiles.median(of: walls)
    table.add(
      figure, target: milliseconds.map { "<= \(NumberFormat.human($0 * 1e6, .time))" } ?? "",
      measured: "median \(NumberFormat.human(median, .time)), worst "
        + "\(NumberFormat.human(walls.max() ?? 0, .time)), n = \(walls.count)",
      isMet: milliseconds.map { median <= $0 * 1e6 })
  }
}
