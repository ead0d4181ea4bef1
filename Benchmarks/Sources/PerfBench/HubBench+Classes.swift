internal import Foundation
internal import PerfHub

/// Comparisons of a repository on runners of three classes.
extension HubBench {
  private static let classes = ["rack", "laptop", "ci"]

  /// Tags of the repository before and after a change: of a note, to three times the work, and back.
  private static let changes = [("v1", "v2"), ("v2", "v3"), ("v3", "v4")]

  /// Submits comparisons for three classes, and compares their verdicts with those of `perfkit diff` in a checkout.
  ///
  /// The runners work one after the other, since they share the machine.
  func measureClasses(
    _ perfkit: String, _ address: HubAddress, _ workshop: BenchWorkshop, _ table: FigureTable
  ) throws {
    let repository = workshop.file("repository")
    try Self.makeRepository(repository)
    let byHand = try Self.changes.map { base, candidate in
      try Child(
        perfkit,
        [
          "diff", base, candidate, "--scenario", "work", "--no-profile", "--exit-code", "--hub", "",
        ], in: repository
      ).wait(watchesMemory: false, accepting: [0, 1, 3]).status
    }
    let hub = try Hub(address, isCancelled: { false })
    let numbers = try (0..<diffs).map { index in
      let (base, candidate) = Self.changes[Self.change(of: index)]
      var request = JobRequest(
        repository: repository, base: base, candidate: candidate, scenario: "work")
      request.isProfiled = false
      return try hub.submit(request, machine: Self.classes[index % Self.classes.count])
    }
    var placed = 0
    for name in Self.classes.reversed() {
      let runner = [
        "runner", "--once", "--class", name, "--allow", repository, "--hub", Self.url, "--quiet",
        "--store", workshop.file("\(name).sqlite"), "--folder", workshop.file(name),
      ]
      let waiting = try numbers.filter { try hub.job($0).state == .waiting }
      for _ in 0..<diffs / Self.classes.count {
        _ = try Child(perfkit, runner).wait(watchesMemory: false, accepting: [0, 1, 3])
      }
      for number in waiting {
        let job = try hub.job(number)
        if job.state == .done, job.machine == name { placed += 1 }
      }
    }
    let jobs = try numbers.map { try hub.job($0) }
    let same = jobs.enumerated().count { index, job in
      job.status == Int(byHand[Self.change(of: index)])
    }
    let verdicts = Dictionary(
      grouping: jobs, by: { $0.message?.split(separator: ":").first.map(String.init) ?? "none" }
    ).map { "\($1.count) \($0.lowercased())" }.sorted().joined(separator: ", ")
    table.add(
      "comparisons made by a runner of their class", target: "\(diffs) of \(diffs)",
      measured: "\(placed)", isMet: placed == diffs)
    table.add(
      "verdicts as of `perfkit diff` by hand", target: "\(diffs) of \(diffs)",
      measured: "\(same) (\(verdicts))", isMet: same == diffs)
  }

  /// Returns the place of the change that a job measures: each class measures each change.
  private static func change(of index: Int) -> Int { index / classes.count % changes.count }

  private static func makeRepository(_ folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/Scenarios", withIntermediateDirectories: true)
    func write(_ name: String, _ text: String) throws {
      try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    func git(_ words: String...) throws {
      let user = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org"]
      _ = try Child("/usr/bin/env", ["git"] + user + words, in: folder).wait(watchesMemory: false)
    }
    try write("perfkit.yml", "build: [/bin/sh, build.sh]\nproducts: bin\n")
    try write("build.sh", "mkdir -p bin && cc -O1 -o bin/work work.c\n")
    try write(".gitignore", "bin\n.perfkit\nReports\n")
    try write(
      "Scenarios/work.yml",
      """
      scenario: work
      summary: A loop.
      command: [../bin/work]
      iterations: 6
      warmup: 0
      gate: { margin: 50%, metrics: { cpu.total: {} } }

      """)
    try git("init", "--quiet", "--initial-branch=main")
    for (tag, steps) in [("v1", 40), ("v2", 40), ("v3", 120), ("v4", 40)] {
      try write(
        "work.c",
        """
        static volatile unsigned long sink = 1;
        int main(void) {
          unsigned long x = sink;
          for (long i = 0; i < \(steps) * 1000000L; i++) x *= 6364136223846793005UL;
          sink = x;
          return 0;
        }

        """)
      try write("note", tag + "\n")
      try git("add", ".")
      try git("commit", "--quiet", "-m", tag)
      try git("tag", tag)
    }
  }
}
