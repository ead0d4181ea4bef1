import Glibc
import PerfProfile
import Testing

/// What one program went through, as `Scripts/torture` makes its report of.
///
/// Each is appended to the file that PERFKIT_TORTURE_LOG names as one line with tabs, in the order of
/// `columns`.
struct TortureLog {
  let program: String
  let way: String
  let rounds: Int
  let samples: UInt64
  let allocations: UInt64
  /// Threads that were announced.
  let threads: UInt64
  /// Records that rings had no room for, and samples that handlers dropped.
  let lost: UInt64
  /// What the agent says of itself; of a program that is killed the sum of its lives.
  let ticks: Ticks
  /// What was wrong; empty when nothing was.
  let problems: [String]

  /// The ticks that were made.
  struct Ticks {
    var made = 0
    var late = 0
    var missed = 0
    var seconds = 0.0

    init() {}

    init(_ audit: AgentAudit) {
      (made, late, missed) = (audit.ticks, audit.ticksLate, audit.ticksMissed)
      seconds = Double(audit.samplingTime) / 1e9
    }

    static func += (left: inout Self, right: Self) {
      left.made += right.made
      left.late += right.late
      left.missed += right.missed
      left.seconds += right.seconds
    }

    /// Ticks a second; nil where it is not known how long they were made, as of programs that go on
    /// as others.
    var rate: Int? { seconds > 0 ? Int((Double(made) / seconds).rounded()) : nil }
  }

  /// Appends the line, and says it to those who let it run for hours.
  func write() {
    guard TortureTests.hasSeconds else { return }
    print(
      "\(program) (\(way)): \(rounds) rounds, \(samples) samples, \(allocations) allocations,",
      "\(threads) threads, \(lost) lost, \(ticks.rate.map(String.init) ?? "unknown") ticks a second"
    )
    guard let path = getenv("PERFKIT_TORTURE_LOG"), let file = fopen(path, "a") else { return }
    defer { fclose(file) }
    fputs(columns.joined(separator: "\t") + "\n", file)
  }

  private var columns: [String] {
    let minutes = (TortureTests.seconds / 60 * 100).rounded() / 100
    let plain = problems.joined(separator: "; ").split { $0.isNewline || $0 == "\t" }
    return [
      program, way, "\(minutes)", "\(rounds)", "\(samples)", "\(allocations)", "\(threads)",
      ticks.rate.map(String.init) ?? "", "\(ticks.late)", "\(ticks.missed)", "\(lost)",
      problems.isEmpty ? "as alone" : plain.joined(separator: " "),
    ]
  }
}
