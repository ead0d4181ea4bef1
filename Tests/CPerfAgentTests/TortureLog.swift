import CPerfFormat
import Glibc
import Testing

@testable import PerfProfile

/// The figures of one program, for the report of `Scripts/torture`.
///
/// Each is appended to the file that PERFKIT_TORTURE_LOG names, as one line of columns separated by
/// tabs.
struct TortureLog {
  let program: String
  let way: String
  let rounds: Int
  let samples: UInt64
  let allocations: UInt64
  /// Recorded starts of threads.
  let threads: UInt64
  /// Records for which a ring had no room, and samples that handlers dropped.
  let lost: UInt64
  /// The agent's figures; of a program that is killed, the sum of its runs.
  let ticks: Ticks
  /// The errors; empty if there are none.
  let problems: [String]

  /// Counts of ticks.
  struct Ticks {
    var made: UInt64 = 0
    var late: UInt64 = 0
    var missed: UInt64 = 0
    var seconds = 0.0

    init() {}

    init(_ audit: AgentAudit) {
      (made, late, missed) = (audit.ticks, audit.ticks_late, audit.ticks_missed)
      seconds = Double(audit.samplingTime) / 1e9
    }

    static func += (left: inout Self, right: Self) {
      left.made += right.made
      left.late += right.late
      left.missed += right.missed
      left.seconds += right.seconds
    }

    /// Ticks a second; nil if the time of sampling is unknown, as after exec.
    var rate: Int? { seconds > 0 ? Int((Double(made) / seconds).rounded()) : nil }
  }

  /// Appends the line, and prints the figures of long runs.
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
