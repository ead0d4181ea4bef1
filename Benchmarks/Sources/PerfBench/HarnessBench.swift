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
      "The seconds of each of the page's 10 launches at 5 kHz; 2 give 200,000 samples on 2 CPUs.")
  var pageSeconds = 2

  @Option(help: "The runs in the store for `list` and `history`.")
  var runs = 1000

  @Option(help: "The repetitions of each verb.")
  var repetitions = 15

  func run() throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let perfkit = try workshop.program("perfkit")
    let store = workshop.file("bench.sqlite")
    try scenario("bench", seconds: seconds, iterations: 1, rate: 1000, workshop)
    print("Harness")
    let run = [
      "run", "bench", "--scenarios", workshop.file(""), "--store", store, "--no-report",
      "--quiet",
    ]
    for _ in 0..<2 {
      let long = try Child(perfkit, run).wait()
      print(
        "  \(seconds) s at 1 kHz, \(threads) threads: peak memory of perfkit "
          + NumberFormat.human(Double(long.peak), .size)
          + ", \(NumberFormat.human(Double(long.wall), .time)) in all, target <= 512 MB")
    }
    let samples = try RunStore(path: store, access: .reading).headers().compactMap(\.samples)
    print("  samples of the two runs: \(samples.map(String.init).joined(separator: ", "))")
    try time(
      "perfkit compare latest~1 latest", perfkit, store, ["compare", "latest~1", "latest"], "1 s")
    try time(
      "perfkit report latest", perfkit, store,
      ["report", "latest", "--report", workshop.file("reports")], "5 s")
    for file in try FileManager.default.contentsOfDirectory(atPath: workshop.file("reports")) {
      let path = workshop.file("reports/\(file)")
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64 ?? 0
      print("  \(file): \(NumberFormat.human(Double(size), .size)), target <= 5 MB")
    }
    try measurePage(perfkit, workshop)
    try fill(store)
    try time("perfkit list runs, \(runs) runs", perfkit, store, ["list", "runs"], "100 ms")
    try time(
      "perfkit history, \(runs) runs", perfkit, store,
      ["history", "bench", "--metric", MetricName.wall],
      "1 s")
  }

  /// Measures the report of ten launches: its size, the time to write it, and the page in a browser.
  private func measurePage(_ perfkit: String, _ workshop: BenchWorkshop) throws {
    try scenario("page", seconds: pageSeconds, iterations: 10, rate: 5000, workshop)
    let store = workshop.file("page.sqlite")
    _ = try Child(
      perfkit,
      [
        "run", "page", "--scenarios", workshop.file(""), "--store", store, "--no-report", "--quiet",
      ]
    ).wait(watchesMemory: false)
    let samples = try RunStore(path: store, access: .reading).headers().compactMap(\.samples)
    let words = ["report", "latest", "--report", workshop.file("page")]
    try time(
      "perfkit report, 10 launches, \(samples.first ?? 0) samples", perfkit, store, words, "3 s")
    let path = workshop.file("page/page-busy.html")
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64 ?? 0
    print("  its page: \(NumberFormat.human(Double(size), .size)), target <= 4 MB")
    guard PageTiming.program != nil else {
      print("  its page in a browser: not measured, Chromium is not installed")
      return
    }
    let timings = try (0..<repetitions).map { _ in try PageTiming(of: path, in: workshop) }
    for (name, values, target) in [
      ("drawn after", timings.map(\.ready), "1 s"),
      ("searched in", timings.flatMap(\.searches), "100 ms"),
    ] {
      let median = NumberFormat.human(try Quantiles.median(of: values) * 1e6, .time)
      let worst = NumberFormat.human((values.max() ?? 0) * 1e6, .time)
      print("  its page is \(name): median \(median), worst \(worst), target <= \(target)")
    }
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
    _ name: String, _ program: String, _ store: String, _ words: [String], _ target: String
  ) throws {
    var walls: [Double] = []
    for _ in 0..<repetitions {
      walls.append(Double(try Child(program, words + ["--store", store]).wait().wall))
    }
    let median = NumberFormat.human(try Quantiles.median(of: walls), .time)
    let worst = NumberFormat.human(walls.max() ?? 0, .time)
    print("  \(name): median \(median), worst \(worst), n = \(walls.count), target <= \(target)")
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
