internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// A repository whose commits contain a C tool of about 30 ms, linked with another layout each time.
///
/// The command compares the last two commits, which are never the same program.
struct ToolRepository {
  /// The gating metrics.
  static let gating = [
    MetricName.wall, MetricName.cpuTotal, MetricName.rssPeak, MetricName.faultsMinor,
  ]

  private let program: CountedProgram
  private let workshop: BenchWorkshop
  private let perfkit: String
  private let git: String
  private var folder: String { workshop.file("tool") }

  /// Creates the repository.
  ///
  /// - Throws: `BenchError` without a C compiler or git, or when git fails.
  init(in workshop: BenchWorkshop) throws {
    guard let program = try CountedProgram(in: workshop, iterations: CountedProgram.long),
      let git = workshop.tool("git")
    else {
      throw BenchError(description: "the C tool needs clang or cc, and git")
    }
    (self.program, self.workshop, self.git) = (program, workshop, git)
    perfkit = try workshop.program("perfkit")
    try FileManager.default.createDirectory(
      atPath: folder + "/Scenarios", withIntermediateDirectories: true)
    try "build: [/bin/true]\nproducts: .\n".write(
      toFile: folder + "/perfkit.yml", atomically: true, encoding: .utf8)
    try """
    scenario: tool
    summary: A C program that works for about 30 ms.
    command: [../tool]
    timeout: 60s
    gate:
      margin: 2%
      metrics: { \(Self.gating.map { "\($0): {}" }.joined(separator: ", ")) }
    """.write(toFile: folder + "/Scenarios/tool.yml", atomically: true, encoding: .utf8)
    try runGit("init", "--quiet")
  }

  /// Compares the tool with a tool that does more work in one function, both linked anew.
  ///
  /// - Parameters:
  ///   - seed: The seed of both layouts and of the launch order; it chooses the function as well.
  ///   - more: The additional work, as a fraction of the loops of all functions; 0 for none.
  ///   - words: The options of the command.
  /// - Returns: The answer, the name of the function, and the launches with their pace.
  /// - Throws: `BenchError` when a program fails, or `StoreError`.
  func diff(
    seed: Int, more: Double, _ words: [String]
  ) throws -> (diff: LiveDiff, function: String, launches: LiveRecord.Launches) {
    let function = seed % CountedProgram.functions
    for side in 0..<2 {
      let path = try program.link(
        seed: UInt64(2 * seed + side), slower: side == 1 && more > 0 ? function : nil, more: more)
      try? FileManager.default.removeItem(atPath: folder + "/tool")
      try FileManager.default.moveItem(atPath: path, toPath: folder + "/tool")
      try runGit("add", "--all")
      try runGit(
        "-c", "user.name=PerfKit", "-c", "user.email=perfkit@example.org", "commit", "--quiet",
        "--allow-empty", "--message", "Link \(2 * seed + side)")
    }
    let store = workshop.file("tool.sqlite")
    defer { LiveDiff.remove(storeAt: store) }
    let diff = try LiveDiff(
      perfkit, ["HEAD~1", "HEAD", "--scenario", "tool", "--seed", "\(seed)"] + words, store: store,
      output: workshop.file("tool.json"), in: folder)
    let launches = try LiveRecord.Launches(
      Self.gating + MetricName.paces, perPair: diff.answer.launchesPerPair ?? 1, inStoreAt: store)
    return (diff, "f\(function)", launches)
  }

  /// Returns the share of the loops in the wall time of a launch.
  ///
  /// - Throws: As `diff`, or `BenchError` without an estimate.
  func shareOfLoops() throws -> Double {
    let twice = try diff(seed: 1, more: 1, ["--max-pairs", "\(LookSchedule.usualPairs)"]).diff
    let wall = twice.answer.metrics.first { $0.name == MetricName.wall }?.estimate
    guard let wall, wall > 0 else {
      throw BenchError(description: "twice the work does not take longer")
    }
    return wall
  }

  private func runGit(_ words: String...) throws {
    _ = try Child(git, words, in: folder).wait(watchesMemory: false)
  }
}
