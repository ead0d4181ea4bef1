internal import Foundation
internal import PerfProtocol

/// A repository with a C program whose loops depend on their place, and commits that change its layout.
struct LayoutRepository {
  /// Iterations of each function, nine tenths of a launch of about 13 ms.
  private static let iterations = 1_200_000

  let folder: String
  private let git: String

  /// Creates the repository with one commit; nil without git, clang or LLD.
  init?(in workshop: BenchWorkshop) throws {
    guard let git = workshop.tool("git"), workshop.tool("clang") != nil,
      workshop.tool("ld.lld") != nil
    else { return nil }
    (self.git, folder) = (git, workshop.file("layout"))
    try FileManager.default.createDirectory(
      atPath: folder + "/Scenarios", withIntermediateDirectories: true)
    try write(
      "perfkit.yml",
      """
      build: [/bin/sh, build.sh]
      link: [/bin/sh, link.sh, "{layout}"]
      products: out
      """)
    try write(
      "build.sh",
      """
      mkdir -p out && for file in *.c; do
        clang -O1 -g -ffunction-sections -falign-loops=1 -c $file -o out/$file.o || exit 1
      done
      exec /bin/sh link.sh
      """)
    try write("link.sh", "exec clang -fuse-ld=lld ${1:+\"$1\"} out/*.o -o out/work")
    try write(
      "Scenarios/work.yml",
      """
      scenario: work
      summary: Eight functions with short loops.
      command: [../out/work]
      gate: { margin: 1%, metrics: { cpu.total: {} } }
      """)
    for index in 0..<CountedProgram.functions { try function(index) }
    try write("main.c", CountedProgram.main)
    try run("init", "--quiet", "--initial-branch=main")
    try commit("First")
  }

  /// Commits a file of dead code.
  func commitDeadCode(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // Its name comes first in the order of links.
    try write("dead.c", CountedProgram.deadCode(&random))
    try commit("Dead code \(seed)")
  }

  /// Commits dead code with a function that makes the whole program slower by 2 %, or takes it back.
  ///
  /// The loops of all functions that grow are four fifths of the time, so that a fifth of one of eight
  /// is 2 % of it.
  func commitSlower(_ function: Int?, seed: UInt64) throws {
    for index in 0..<CountedProgram.functions {
      try self.function(
        index, more: index == function ? Self.iterations / 5 : 0)
    }
    try commitDeadCode(seed: seed)
  }

  /// Writes a function with a loop of dependent and a loop of independent operations.
  ///
  /// The second one takes as long as its instructions take to arrive: on an AMD EPYC 1.5 cycles, and 2.4
  /// at one of four places in its cache line.
  private func function(_ index: Int, more: Int = 0) throws {
    try write(
      "f\(index).c",
      """
      unsigned f\(index)(unsigned x) {
        for (unsigned i = 0; i < \(Self.iterations + more); i++) {
          x = x * 1664525u + \(index)u;
          __asm__ volatile("" : "+r"(x));
        }
        unsigned a = x, b = \(index), c = 3, d = 5;
        for (unsigned i = 0; i < 300000; i++) {
          a += i;
          b ^= i;
          c -= i;
          d += 7;
          __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
        }
        return a ^ b ^ c ^ d;
      }
      """)
  }

  private func write(_ name: String, _ text: String) throws {
    try (text + "\n").write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
  }

  private func commit(_ message: String) throws {
    try run("add", "--all")
    try run(
      "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "--quiet", "-m",
      message)
  }

  private func run(_ words: String...) throws {
    _ = try Child(git, words, in: folder).wait(watchesMemory: false)
  }
}
