internal import Foundation
internal import PerfModel
internal import PerfProfile
internal import PerfStatistics

/// Both engines beside `perf record`, on programs that spend their time in the kernel, generate code or have
/// deep stacks.
extension ProfilerBench {
  /// A program with the function whose share of the CPU time is compared.
  private struct EngineSubject {
    let name: String
    let words: [String]
    let function: String
  }

  /// The samples of a profile: all, and those with a function in their stack.
  private struct FunctionShare {
    var (part, all) = (0.0, 0.0)

    var percent: Double { 100 * part / max(all, 1) }

    /// The variance of the percentage by the number of samples.
    var variance: Double { percent * (100 - percent) / max(all, 1) }

    static func += (left: inout FunctionShare, right: FunctionShare) {
      left.part += right.part
      left.all += right.all
    }
  }

  private enum Sampler: CaseIterable {
    case perfRecord
    case kernel
    case signal
  }

  /// The sampling rates, with the seconds of CPU time that give enough samples for an interval.
  private static let engineRates = [(rate: 50, seconds: 12), (1000, 3), (4000, 3)]

  func engines(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    if let obstacle = EventSession.obstacle() {
      return table.add("the kernel's engine", measured: "refused: \(obstacle)")
    }
    guard let perf = workshop.tool("perf"), let compiler = workshop.tool("clang") else {
      return table.add("engines beside perf record", measured: "perf or clang is not installed")
    }
    for subject in try kernelSubjects(workshop, compiler) {
      for (rate, seconds) in Self.engineRates {
        try compare(subject, rate: rate, seconds: seconds, perf, workshop, table)
      }
    }
    try cost(workshop, table)
    try stacks(workshop, compiler, table)
  }

  // MARK: - Shares

  private func compare(
    _ subject: EngineSubject, rate: Int, seconds: Int, _ perf: String, _ workshop: BenchWorkshop,
    _ table: FigureTable
  ) throws {
    let words = subject.words + ["\(seconds)"]
    var shares: [Sampler: FunctionShare] = [:]
    for _ in 0..<2 {
      for sampler in Sampler.allCases.shuffled() {
        let share =
          switch sampler {
          case .perfRecord:
            try Self.share(of: subject.function, words, rate: rate, perf, workshop)
          case .kernel, .signal:
            Self.share(
              of: subject.function,
              in: try workshop.record(
                words, rate: rate, engine: sampler == .kernel ? .perf : .signal))
          }
        shares[sampler, default: FunctionShare()] += share
      }
    }
    guard let theirs = shares[.perfRecord] else { return }
    for (sampler, name) in [(Sampler.kernel, "perf"), (.signal, "signal")] {
      guard let own = shares[sampler] else { continue }
      let difference = own.percent - theirs.percent
      let margin = 1.96 * (own.variance + theirs.variance).squareRoot()
      table.add(
        "engine \(name), \(subject.name), \(rate) Hz: share of \(subject.function)",
        target: "within 2 points of perf record, or an interval that reaches that",
        measured: "\(Self.number(own.percent)) %, \(Self.number(difference)) +- "
          + "\(Self.number(margin)) points from perf record",
        peer: "perf record \(Self.number(theirs.percent)) %, \(Int(theirs.all)) samples",
        isMet: abs(difference) - margin <= 2)
    }
  }

  private static func share(of function: String, in profile: Profile?) -> FunctionShare {
    guard let profile else { return FunctionShare() }
    var isBelow: [Bool] = []
    for node in profile.nodes {
      isBelow.append(
        profile.functions[node.function].name.contains(function)
          || node.parent >= 0 && isBelow[node.parent])
    }
    var share = FunctionShare()
    for count in profile.counts where count.state == .running {
      share.all += Double(count.samples)
      if isBelow[count.node] { share.part += Double(count.samples) }
    }
    return share
  }

  private static func share(
    of function: String, _ words: [String], rate: Int, _ perf: String, _ workshop: BenchWorkshop
  ) throws -> FunctionShare {
    let text = try PerfScript.text(
      words, perf: perf, rate: rate, data: workshop.file("perf.data"),
      options: ["-F", "ip,sym", "--no-inline"])
    var share = FunctionShare()
    for stack in text.split(separator: "\n\n") where stack.contains(where: { !$0.isWhitespace }) {
      share.all += 1
      if stack.contains(function) { share.part += 1 }
    }
    return share
  }

  // MARK: - Programs

  private func kernelSubjects(
    _ workshop: BenchWorkshop, _ compiler: String
  ) throws -> [EngineSubject] {
    let source = workshop.file("kernel.c")
    try Self.kernelProgram.write(toFile: source, atomically: true, encoding: .utf8)
    let program = workshop.file("kernel")
    try Self.compile([
      compiler, "-O1", "-g", "-w", "-fno-omit-frame-pointer", "-o", program, source,
    ])
    var subjects = ["populate", "write", "fork"].map { mode in
      EngineSubject(name: mode, words: [program, mode], function: "in_program")
    }
    if let swift = workshop.tool("swiftc") {
      let (source, program) = (workshop.file("arrays.swift"), workshop.file("arrays"))
      try Self.arrayProgram.write(toFile: source, atomically: true, encoding: .utf8)
      try Self.compile([swift, "-O", "-g", "-o", program, source])
      subjects.append(
        EngineSubject(name: "arrays of 200 MB in Swift", words: [program], function: "munmap"))
    }
    return subjects
  }

  private static func compile(_ words: [String]) throws {
    _ = try PerfScript.run(words[0], Array(words.dropFirst()), keepsOutput: false)
  }

  /// Long system calls, each followed by work of the program's own for as long.
  ///
  /// The work looks at the clock rarely. perf's stacks by frame pointers lack the caller of the C library's
  /// `clock_gettime`, so that time in it would count for `main` with perf alone.
  private static let kernelProgram = """
    #define _GNU_SOURCE
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/wait.h>
    #include <time.h>
    #include <unistd.h>
    static volatile unsigned long sum;
    static char *bytes;
    static int file;
    static double now(void) {
      struct timespec t;
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
      return t.tv_sec + t.tv_nsec / 1e9;
    }
    __attribute__((noinline)) static void in_kernel(char mode) {
      if (mode == 'p') {
        munmap(mmap(0, 64 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0), 64 << 20);
      } else if (mode == 'w') {
        for (int k = 0; k < 2; k++) sum += pwrite(file, bytes, 64 << 20, 0);
      } else {
        for (int k = 0; k < 4; k++) {
          pid_t child = fork();
          if (child == 0) _exit(0);
          waitpid(child, 0, 0);
        }
      }
      sum++;
    }
    __attribute__((noinline)) static void in_program(double seconds) {
      for (double end = now() + seconds; now() < end;) {
        for (int i = 0; i < 500000; i++) sum += i;
      }
    }
    int main(int count, char **words) {
      bytes = malloc(64 << 20);
      memset(bytes, 1, 64 << 20);
      file = memfd_create("file", 0);
      double end = now() + atoi(words[2]);
      while (now() < end) {
        double start = now();
        in_kernel(words[1][0]);
        in_program(now() - start);
      }
      return 0;
    }
    """

  private static let arrayProgram = """
    import Glibc
    @inline(never) func fill(_ seed: UInt8) -> Int {
      let array = [UInt8](repeating: seed, count: 200_000_000)
      var sum = 0
      for index in stride(from: 0, to: array.count, by: 16) { sum &+= Int(array[index]) }
      return sum
    }
    let start = clock()
    let seconds = Int(CommandLine.arguments[1])!
    var total = 0
    var seed: UInt8 = 0
    while clock() - start < seconds * 1_000_000 { seed &+= 1; total &+= fill(seed) }
    print(total != 0)
    """

  // MARK: - Cost and stacks

  private func cost(_ workshop: BenchWorkshop, _ table: FigureTable) throws {
    let own = BenchWorkshop.Setting(name: "engine perf", rate: 1000, engine: .perf)
    let perf = workshop.perf(rate: 1000)
    let study = try OverheadStudy(
      [own] + [perf].compactMap(\.self), workshop, threads: 1, blocks: otherBlocks,
      seconds: seconds)
    guard let overhead = study.overheads[own.name], let perf,
      let difference = try study.difference(own.name, perf.name)
    else { return }
    table.add(
      "engine perf, wall overhead, 1 kHz, one busy thread",
      target: "<= perf record -g + 0.5 points",
      measured: "\(overhead.text); \(difference.text) beyond perf record, n = \(otherBlocks)",
      peer: study.overheads[perf.name].map { "\($0.setting.name) \($0.text)" } ?? "",
      isMet: difference.median <= 0.5)
    let audits = AuditSummary(audits: study.audits[own.name] ?? [])
    table.add(
      "engine perf, complete stacks, optimised Swift", target: ">= 99.5 %",
      measured: try AuditSummary.text(audits.complete, .ratio),
      isMet: audits.complete.median >= 0.995)
  }

  private func stacks(
    _ workshop: BenchWorkshop, _ compiler: String, _ table: FigureTable
  ) throws {
    let source = workshop.file("many.c")
    let functions = (0..<4000).map { number in
      "double f\(number)(double *x, int n) { double s = \(number); for (int i = 1; i < n; i++) "
        + "{ x[i] = x[i - 1] * s + x[i % 7]; s += x[i] > \(number) ? x[i] : i; } return s; }"
    }
    try functions.joined(separator: "\n").write(toFile: source, atomically: true, encoding: .utf8)
    let profile = try workshop.record(
      [compiler, "-O2", "-g", "-c", "-o", workshop.file("many.o"), source], rate: 1000,
      engine: .perf, followsChildren: true)
    if let audit = profile?.audit {
      let share = Double(audit.complete) / Double(max(audit.samples, 1))
      table.add(
        "engine perf, clang compiling a file, with its children: complete stacks",
        target: ">= 99 %",
        measured: "\(NumberFormat.human(share, .ratio)) of \(audit.samples) samples",
        isMet: share >= 0.99)
    }
    try generated(workshop, table)
  }
}
