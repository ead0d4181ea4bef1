internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import PerfModel
internal import PerfProfile

/// What the harness takes to turn samples into stacks and names.
struct ProfilerBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiler", abstract: "Time to unwind a sample and to name an address.")

  @Option(help: "Seconds of sampling.")
  var seconds = 3

  @Option(help: "Calls below each other in the sampled program.")
  var depth = 26

  @Option(help: "Ticks a second.")
  var rate = 1000

  @Argument(help: "Another program to sample, with its arguments.")
  var program: [String] = []

  func run() throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let segment = try CaptureSegment(
      CaptureConfiguration(interval: 1_000_000_000 / UInt64(rate), seed: 1))
    let own = [try workshop.program("PerfBench"), "deep", "--seconds", "\(seconds)"]
    let deep = own + ["--depth", "\(depth)"]
    let subjects =
      program.isEmpty
      ? [
        ("outer frames stay, inner ones change", deep), ("all frames change", deep + ["--churn"]),
      ] : [(program.joined(separator: " "), program)]
    for (name, words) in subjects {
      print("Profiler: \(name)")
      segment.reset()
      let capture = try sample(words, segment: segment, agent: try workshop.agent())
      report(try ProfilerMeasurement(capture))
    }
  }

  private func report(_ result: ProfilerMeasurement) {
    for (name, pass) in [
      ("cold, each stack to its end", result.cold), ("warm, each stack to its end", result.warm),
      ("warm, spliced", result.spliced),
    ] {
      let stacks = Double(max(pass.stacks, 1))
      print(
        "  unwind \(name): \(number(Double(pass.nanoseconds) / 1000 / stacks)) us a sample, "
          + "\(number(Double(pass.frames) / stacks)) frames, "
          + "\(number(Double(pass.spliced) / stacks)) of them taken over, "
          + pass.ends.sorted { $0.key < $1.key }.map { "\($1) \($0)" }.joined(separator: ", "))
    }
    let milliseconds = Double(result.symbolNanoseconds) / 1e6
    print("  symbols: \(number(milliseconds)) ms for \(result.addresses) addresses")
  }

  private func number(_ value: Double) -> String { String(format: "%.2f", value) }

  /// Runs a program under the agent and returns what it left.
  private func sample(
    _ words: [String], segment: CaptureSegment, agent: String
  ) throws -> Capture {
    let drain = SegmentDrain(segment)
    segment.setSampling(true)
    let process = try spawn(words, segment: segment, agent: agent)
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      drain.drain()
      usleep(5000)
    }
    guard status == 0 else { throw BenchError(description: "\(words[0]) ended with \(status)") }
    return drain.finish()
  }

  private func spawn(
    _ words: [String], segment: CaptureSegment, agent: String
  ) throws -> pid_t {
    let number: Int32 = 200
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, segment.descriptor, number)
    var variables = ProcessInfo.processInfo.environment
    variables["LD_PRELOAD"] = agent
    variables[CaptureSegment.descriptorVariable] = "\(number)"
    var arguments = words.map { strdup($0) } + [nil]
    var environment = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, words[0], &actions, nil, &arguments, &environment)
    guard code == 0 else { throw BenchError(description: "cannot start \(words[0]): \(code)") }
    return process
  }
}

/// The program that `profiler` samples: calls of a known depth that burn CPU time at their end.
struct DeepProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deep", abstract: "Burn CPU time below many calls.", shouldDisplay: false)

  @Option var seconds = 3
  @Option var depth = 26

  @Flag(help: "Let the outermost frames change, too.")
  var churn = false

  func run() throws {
    let end = DispatchTime.now() + .seconds(seconds)
    var sum = 0
    while DispatchTime.now() < end {
      // Going down costs next to nothing, so what stays below decides how long frames live.
      sum &+= descend(churn ? depth : depth - 6, sum, until: churn ? nil : end)
    }
    guard sum != 1 else { throw BenchError(description: "the sum cannot be 1") }
  }

  @inline(never)
  private func descend(_ depth: Int, _ seed: Int, until end: DispatchTime?) -> Int {
    var result = 0
    if depth > 0 {
      result = descend(depth - 1, seed &+ depth, until: end)
    } else if let end {
      while DispatchTime.now() < end { result &+= descend(6, result, until: nil) }
    } else {
      let numbers = (0..<200).map { ($0 &* 7919 &+ seed) & 0xff }
      result = numbers.sorted { $0 < $1 }.reduce(0) { $0 &* 31 &+ $1 }
    }
    return result & ~1
  }
}
