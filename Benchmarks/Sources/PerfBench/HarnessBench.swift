internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import PerfModel
internal import PerfStatistics
internal import PerfStore

/// The cost of the harness: memory of a long run, time of the verbs, size of a report.
struct HarnessBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "harness",
    abstract: "Measure the memory of a long run, the time of verbs and the size of a report.")

  @Option(help: "The duration of the long run in seconds.")
  var seconds = 60

  @Option(help: "The threads of the long run.")
  var threads = 8

  @Option(
    help:
      "The seconds of each of the page's 10 launches at 5 kHz; 4 give 200,000 samples on 2 CPUs.")
  var pageSeconds = 4

  @Option(help: "The runs in the store for `list` and `history`.")
  var runs = 1000

  @Option(help: "The repetitions of each verb.")
  var repetitions = 15

  @Option(help: "Write the figures to this Markdown file.")
  var output: String?

  func run() throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let table = FigureTable()
    let perfkit = try workshop.program("perfkit")
    let store = workshop.file("bench.sqlite")
    table.begin("start")
    let prefix = workshop.file("installed")
    _ = try Child("Scripts/install", ["--prefix", prefix]).wait(watchesMemory: false)
    try time(
      "perfkit --help, installed", "\(prefix)/bin/perfkit", ["--help"], milliseconds: 30, table)
    try time(
      "Scripts/perfkit --version, nothing changed", "Scripts/perfkit", ["--version"],
      milliseconds: 100, table)
    table.begin("run")
    try measureLongRun(perfkit, workshop, store, table)
    table.begin("verbs")
    try time(
      "perfkit compare of the two long runs", perfkit,
      ["compare", "latest~1", "latest", "--store", store], milliseconds: 1000, table)
    try time(
      "perfkit report of a long run", perfkit,
      ["report", "latest", "--report", workshop.file("reports"), "--store", store],
      milliseconds: 5000, table)
    for file in try FileManager.default.contentsOfDirectory(atPath: workshop.file("reports")) {
      try addSize("page of a long run", workshop.file("reports/\(file)"), megabytes: 5, table)
    }
    try fill(store)
    let count = NumberFormat.grouped(runs)
    try time(
      "perfkit list runs, \(count) runs", perfkit, ["list", "runs", "--store", store],
      milliseconds: 100, table)
    try time(
      "perfkit history, \(count) runs", perfkit,
      ["history", "bench", "--metric", MetricName.wall, "--store", store], milliseconds: 1000,
      table)
    table.begin("page")
    try measurePage(perfkit, workshop, table)
    if let output {
      try table.write(
        title: "Cost of the harness", method: "Times are of whole processes",
        order: ["start", "run", "verbs", "page"], to: output)
    }
  }

  /// Measures the memory of the harness in two long runs.
  private func measureLongRun(
    _ perfkit: String, _ workshop: BenchWorkshop, _ store: String, _ table: FigureTable
  ) throws {
    try scenario("bench", seconds: seconds, iterations: 1, rate: 1000, workshop)
    let words = [
      "run", "bench", "--scenarios", workshop.file(""), "--store", store, "--no-report", "--quiet",
    ]
    let peaks = try (0..<2).map { _ in try Child(perfkit, words).wait().peak }
    let samples = try RunStore(path: store, access: .reading).headers().compactMap(\.samples)
    let sizes = peaks.map { NumberFormat.human(Double($0), .size) }
    table.add(
      "peak memory of perfkit, \(seconds) s at 1 kHz, \(threads) threads", target: "<= 512 MB",
      measured: "\(sizes.joined(separator: " and ")), "
        + "\(samples.map(NumberFormat.grouped).joined(separator: " and ")) samples",
      isMet: peaks.allSatisfy { $0 <= 512_000_000 })
  }

  /// Measures the report of ten launches: its size, the time to write it, and the page in a browser.
  private func measurePage(
    _ perfkit: String, _ workshop: BenchWorkshop, _ table: FigureTable
  ) throws {
    try scenario("page", seconds: pageSeconds, iterations: 10, rate: 5000, workshop)
    let store = workshop.file("page.sqlite")
    _ = try Child(
      perfkit,
      [
        "run", "page", "--scenarios", workshop.file(""), "--store", store, "--no-report", "--quiet",
      ]
    ).wait(watchesMemory: false)
    let samples = try RunStore(path: store, access: .reading).headers().compactMap(\.samples)
    try time(
      "perfkit report, 10 launches, \(NumberFormat.grouped(samples.first ?? 0)) samples", perfkit,
      ["report", "latest", "--report", workshop.file("page"), "--store", store],
      milliseconds: 3000, table)
    let path = workshop.file("page/page-busy.html")
    try addSize("its page", path, megabytes: 4, table)
    guard PageTiming.program != nil else {
      table.add("its page in a browser", measured: "not measured, Chromium is not installed")
      return
    }
    let timings = try (0..<repetitions).map { _ in try PageTiming(of: path, in: workshop) }
    try add("its page is drawn, in a browser", timings.map { $0.ready * 1e6 }, limit: 1000, table)
    try add(
      "a search in its flame graph", timings.flatMap(\.searches).map { $0 * 1e6 }, limit: 100,
      table)
  }

  private func addSize(
    _ name: String, _ path: String, megabytes: Double, _ table: FigureTable
  ) throws {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64 ?? 0
    table.add(
      name, target: "<= \(NumberFormat.human(megabytes * 1e6, .size))",
      measured: NumberFormat.human(Double(size), .size), isMet: Double(size) <= megabytes * 1e6)
  }

  private func scenario(
    _ name: String, seconds: Int, iterations: Int, rate: Int, _ workshop: BenchWorkshop
  ) throws {
    let text = """
      scenario: \(name)
      summary: Threads that burn CPU for a while.
      workload: bench.burn
      worker: \(try workshop.program("BenchWorkloads"))
      parameters: { seconds: \(seconds), threads: \(threads) }
      variants:
        busy: {}
      default_variant: busy
      iterations: \(iterations)
      warmup: 0
      timeout: 600s
      profile: { rate: \(rate) }
      """
    try text.write(toFile: workshop.file("\(name).yml"), atomically: true, encoding: .utf8)
  }

  /// Adds copies of a stored run without its profile, to make the list as long as a year's.
  private func fill(_ path: String) throws {
    let store = try RunStore(path: path)
    guard let header = try store.headers().first else { return }
    let model = try store.run(id: header.id, including: [])
    for number in 0..<max(0, runs - 2) {
      try store.save(
        Run(
          id: "rbench\(number)", scenario: model.scenario, variant: model.variant, label: nil,
          started: Timestamp(milliseconds: model.started.milliseconds - Int64(number)),
          seed: model.seed, parameters: model.parameters, command: model.command,
          environment: model.environment, definitions: model.definitions,
          launches: model.launches, budgets: model.budgets, profile: nil,
          warnings: [], wasInterrupted: false))
    }
  }

  private func time(
    _ name: String, _ program: String, _ words: [String], milliseconds: Double,
    _ table: FigureTable
  ) throws {
    let walls = try (0..<repetitions).map { _ in
      Double(try Child(program, words).wait(watchesMemory: false).wall)
    }
    try add(name, walls, limit: milliseconds, table)
  }

  /// Adds times in nanoseconds, with a limit of their median in milliseconds.
  private func add(
    _ name: String, _ times: [Double], limit: Double, _ table: FigureTable
  ) throws {
    let median = try Quantiles.median(of: times)
    table.add(
      name, target: "<= \(NumberFormat.human(limit * 1e6, .time))",
      measured: "median \(NumberFormat.human(median, .time)), worst "
        + "\(NumberFormat.human(times.max() ?? 0, .time)), n = \(times.count)",
      isMet: median <= limit * 1e6)
  }
}

/// A child process whose time and memory are measured from outside.
struct Child {
  /// The measured cost.
  struct Result {
    /// The wall time in nanoseconds.
    let wall: UInt64
    /// The largest observed VmHWM in bytes; zero without observation.
    let peak: UInt64
    /// The exit status.
    let status: Int32
  }

  private let process = Process()

  /// Creates a child for a program, by default in the working directory, and discards its output.
  init(_ path: String, _ arguments: [String], in directory: String? = nil) throws {
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
    process.standardOutput = FileHandle.nullDevice
  }

  /// Runs the child to its end.
  ///
  /// - Parameters:
  ///   - watchesMemory: Whether to observe `peak`, which takes a twentieth of a core. Do not observe a program that
  ///     measures something itself.
  ///   - statuses: The exit statuses that are no failure.
  /// - Returns: The measured cost.
  /// - Throws: `BenchError` when the child fails, or Foundation's error when it cannot start.
  func wait(
    watchesMemory: Bool = true, accepting statuses: Set<Int32> = [0]
  ) throws -> Result {
    // `waitUntilExit` looks for the end every 50 ms alone.
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    let began = DispatchTime.now()
    try process.run()
    var peak: UInt64 = 0
    while watchesMemory, process.isRunning {
      peak = max(peak, Self.peakMemory(of: process.processIdentifier) ?? 0)
      usleep(2000)
    }
    ended.wait()
    let wall = DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds
    guard statuses.contains(process.terminationStatus) else {
      throw BenchError(
        description:
          "\(process.executableURL?.lastPathComponent ?? "") "
          + "\((process.arguments ?? []).joined(separator: " ")) failed with exit code "
          + "\(process.terminationStatus)")
    }
    return Result(wall: wall, peak: peak, status: process.terminationStatus)
  }

  private static func peakMemory(of process: Int32) -> UInt64? {
    guard
      let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { UInt64($0) }
      .map { $0 * 1024 }
  }
}
