import CPerfFormat
import Glibc
import Testing

@testable import PerfProfile

/// Runs the torture programs with the agent at 5 kHz, and drains their segment meanwhile.
enum TortureRun {
  /// The result of a run.
  struct Outcome {
    let status: Int32
    /// The states of its threads at the deadline; nil if it ended by itself.
    let hang: String?
    let records: TortureRecords
    let audit: AgentAudit
    /// The rounds of the program's loop.
    let rounds: Double?
    /// The number of its threads, if the program reports it.
    let threads: Double?
  }

  /// Small rings, and enough of them for threads that begin and end faster than they are drained.
  ///
  /// The segment is small, as a program that replaces itself a thousand times maps it as often.
  static let configuration = CaptureConfiguration(
    segmentBytes: 12 << 20, namesBytes: 64 << 10, sampleCapacity: 128 << 10, markCapacity: 32 << 10,
    stackBytes: 4096, interval: 200_000, seed: 3)

  /// Milliseconds between two drains.
  private static let beat: Int32 = 2
  /// Seconds after its time for which a program may continue.
  private static let patience = 60.0

  /// Samples a program for some seconds.
  static func run(_ name: String, seconds: Double, _ way: TortureTests.Way) throws -> Outcome {
    var configuration = configuration
    configuration.signal = way == .otherSignal ? SIGUSR2 : SIGPROF
    // One of a few allocations.
    configuration.allocationInterval = way == .allocations ? 4096 : nil
    let segment = try CaptureSegment(configuration)
    var records = TortureRecords()
    let process = try start(name, seconds, segment)
    let deadline = monotonicNanoseconds() + UInt64((seconds + patience) * 1e9)
    var status: Int32 = 0
    var hang: String?
    while waitpid(process, &status, WNOHANG) == 0 {
      records.drain(segment)
      if hang == nil && monotonicNanoseconds() > deadline {
        hang = describe(process)
        kill(process, SIGKILL)
      }
      poll(nil, 0, beat)
    }
    records.drain(segment)
    return Outcome(
      status: status, hang: hang, records: records, audit: segment.audit,
      rounds: records.said("rounds", in: segment), threads: records.said("threads", in: segment))
  }

  /// The sum of many runs of a program that was killed.
  struct Lives {
    /// The errors in its records.
    var problems: [String] = []
    var kills = 0
    var samples: UInt64 = 0
    var threads: UInt64 = 0
    var lost: UInt64 = 0
    var ticks = TortureLog.Ticks()
  }

  /// Starts a program repeatedly and kills it at a random moment.
  static func killAtRandom(seconds: Double) throws -> Lives {
    let segment = try CaptureSegment(configuration)
    var random = SplitMix(state: 17)
    var lives = Lives()
    // Built first, so that the build takes no time from the runs.
    _ = try program.get()
    let end = monotonicNanoseconds() + UInt64(seconds * 1e9)
    repeat {
      segment.reset(seed: random.next())
      var records = TortureRecords()
      let process = try start("mortal", seconds, segment)
      // The first milliseconds are the start of the agent.
      let death = monotonicNanoseconds() + random.next() % 100_000_000
      while monotonicNanoseconds() < death {
        records.drain(segment)
        poll(nil, 0, 1)
      }
      kill(process, SIGKILL)
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      records.drain(segment)
      lives.problems += records.problems
      if status & 0x7f != SIGKILL {
        lives.problems.append("it ended by itself with status \(status)")
      }
      lives.kills += 1
      lives.samples += records.samples
      lives.threads += records.starts
      lives.lost += records.lost(segment.audit)
      lives.ticks += TortureLog.Ticks(segment.audit)
    } while monotonicNanoseconds() < end
    return lives
  }

  // MARK: - Programs

  private static func start(
    _ name: String, _ seconds: Double, _ segment: CaptureSegment
  ) throws -> pid_t {
    let program = try program.get()
    let agent = try AgentUnderTest.agent(segment.configuration)
    // Sampling is on from the first instruction.
    segment.setSampling(true)
    return try AgentUnderTest.start(
      [program, name, "\(seconds)"],
      environment: ["LD_PRELOAD=\(agent)", "\(CaptureSegment.descriptorVariable)=200"],
      descriptor: segment.descriptor)
  }

  private static let program = Result<String, any Error> {
    let folder = try AgentUnderTest.built.get().folder
    let sources = "\(AgentUnderTest.tests)/Programs/torture"
    let script = """
      set -eu
      cd "$1"
      c=$(command -v clang || command -v cc)
      cxx=$(command -v clang++ || command -v c++)
      flags="-O2 -g -Wall -Wextra -Werror -fPIC -I$3 $4"
      for factor in 3 5; do
        $c -std=gnu17 $flags -DFACTOR=$factor -shared -o "$2/libplugin$factor.so" plugin.c
      done
      for source in [!p]*.c; do $c -std=gnu17 $flags -c "$source" -o "$2/$source.o"; done
      $cxx -std=c++17 $flags exceptions.cpp "$2"/*.c.o -o "$2/torture" -lpthread -ldl \
        -Wl,-rpath,'$ORIGIN'
      """
    let headers = "\(AgentUnderTest.root)/Sources/Agent/CPerfFormat/include"
    try #require(
      try AgentUnderTest.spawn(
        [
          "/bin/sh", "-c", script, "sh", sources, folder, headers,
          AgentUnderTest.sanitizerFlags.joined(separator: " "),
        ]) == 0)
    return "\(folder)/torture"
  }

  // MARK: - Hangs

  /// Returns the name, system call and wait channel of each thread of a process.
  private static func describe(_ process: pid_t) -> String {
    let folder = "/proc/\(process)/task"
    guard let directory = opendir(folder) else { return "its threads cannot be read" }
    defer { closedir(directory) }
    var lines: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.first?.isNumber == true else { continue }
      let facts = ["comm", "syscall", "wchan"].map { firstLine("\(folder)/\(name)/\($0)") }
      lines.append(([name] + facts).joined(separator: " "))
    }
    return lines.joined(separator: "\n")
  }

  private static func firstLine(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "?" }
    defer { fclose(file) }
    var text = [UInt8](repeating: 0, count: 256)
    let count = fread(&text, 1, text.count, file)
    return String(decoding: text[..<count].prefix { $0 != 10 }, as: UTF8.self)
  }
}

/// A seeded generator (splitmix64: Steele, Lea, Flood 2014).
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
