import Foundation
import Glibc
import PerfGate
import PerfRunner
import PerfTestSupport
import Testing

@testable import perfkit

/// Comparisons of revisions that are built and measured in pairs.
///
/// The tests run one after the other, as simultaneous measurements disturb each other.
@Suite(.serialized)
struct DiffTests {
  private func metric(_ name: String, _ comparison: [String: Any]) throws -> [String: Any] {
    let metrics = try #require(comparison["metrics"] as? [[String: Any]])
    return try #require(metrics.first { $0["name"] as? String == name })
  }

  @Test
  func `a commit that doubles the work of a function regresses, and the function is named`()
    throws
  {
    let repository = try TestRepository()
    try repository.program(decode: 40, layout: 20)
    try repository.commit("Decode twice")
    let result = repository.perfkit(
      "diff", "--all", "HEAD~1", "HEAD", "--scenario", "work", "--no-report", "--format", "json",
      "--exit-code")
    #expect(result.status == .gateFailed, "\(result.errors)")
    let comparison = try result.json()
    #expect(comparison["verdict"] as? String == "regressed")
    #expect(comparison["launches_per_pair"] as? Int == 4)
    let user = try metric("cpu.total", comparison)
    #expect(user["decided_at"] as? Int != nil)
    let share = try #require(user["pace_share"] as? Double)
    #expect((0...1).contains(share))
    // 40 + 20 against 20 + 20 million steps: 50 % more. One interval in 20 misses the true value, so that
    // a deviation of ten percentage points is tolerated.
    let (low, high) = (try #require(user["low"] as? Double), try #require(user["high"] as? Double))
    #expect(low > 0)
    #expect(low < 0.6 && high > 0.4)
    #expect((comparison["sentence"] as? String)?.contains("decode_cover") == true)
    let sides = ["base", "candidate"].compactMap { comparison[$0] as? [String: Any] }
    #expect(
      sides.map { $0["commit"] as? String }
        == [try repository.git("rev-parse", "HEAD~1"), try repository.git("rev-parse", "HEAD")])

    // Judging the same pairs again gives the same verdict.
    let id = try #require(comparison["id"] as? String)
    let again = repository.perfkit("compare", id, "--format", "json")
    #expect(try again.json()["verdict"] as? String == "regressed")
    #expect(try metric("cpu.total", again.json())["low"] as? Double == low)
    // A comparison of its runs names it.
    let runs = sides.compactMap { $0["id"] as? String }
    #expect(runs.count == 2)
    let unpaired = repository.perfkit.run(["compare"] + runs)
    #expect(unpaired.says("'perfkit compare \(id)'"), "\(unpaired.errors)")
    #expect(
      repository.perfkit.run(["compare", "--all"] + runs)
        .prints("The launches of these runs are pairs, which `perfkit compare \(id)` compares."))
    let alone = repository.perfkit("compare", runs[1])
    #expect(alone.status == .usage)
    #expect(alone.says("'\(runs[1])' is a run of comparison \(id)."), "\(alone.errors)")
    let listed = repository.perfkit("list", "comparisons", "--format", "csv").output
      .split { $0 == "," || $0.isNewline }.map(String.init)
    #expect(listed.contains(id))
    for side in sides {
      let commit = try #require(side["commit"] as? String)
      #expect(listed.contains("work:default \(commit.prefix(10))"), "\(listed)")
    }
  }

  @Test func `the work tree is measured with its changes, without changing git's state`()
    throws
  {
    let repository = try TestRepository(steps: 5)
    try repository.program(decode: 5, layout: 15)
    try repository.write("notes.txt", "not yet added")
    let before = try repository.git("status", "--porcelain")
    let result = repository.perfkit(
      "diff", "--all", "--scenario", "work", "--no-report", "--no-profile", "--format", "json")
    #expect(result.status == .done, "\(result.errors)")
    #expect(try result.json()["verdict"] as? String == "regressed")
    #expect(try repository.git("status", "--porcelain") == before)
    #expect(try repository.git("branch", "--list") == "* main")
  }

  @Test func `a second comparison of the same revisions reuses their builds`() throws {
    let repository = try TestRepository()
    try repository.write("README", "words")
    try repository.commit("Words")
    let words = [
      "diff", "--all", "HEAD~1..HEAD", "--scenario", "work", "--no-report", "--no-profile",
      "--max-pairs",
      "11",
    ]
    let first = repository.perfkit.run(words).errors
    let plan = try #require(first.range(of: "plan: 1 scenario, HEAD~1"), "\(first)")
    let building = try #require(first.range(of: "building HEAD~1"))
    #expect(plan.upperBound < building.lowerBound)
    let second = repository.perfkit.run(words)
    #expect(second.status == .done)
    #expect(!second.errors.contains("building"))
  }

  @Test
  func `verify confirms a report and detects every change of it`()
    throws
  {
    let repository = try TestRepository(steps: 5)
    let result = repository.perfkit(
      "diff", "--all", "HEAD", "HEAD", "--scenario", "work", "--no-profile", "--max-pairs", "11",
      "--measure-same", "--report", "reports", "--format", "json")
    let comparison = try result.json()
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: repository.root + "/reports").first)
    let verified = repository.perfkit("verify", "reports/\(name)")
    #expect(verified.status == .done, "\(verified.output)\(verified.errors)")
    let words = verified.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains(/Its (22|44|88) launches in 11 pairs give the same result/))
    #expect(verified.wideLines == [])

    let verdict = try #require(comparison["verdict"] as? String)
    let path = "\(repository.root)/reports/\(name)"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let word = verdict.prefix(1).uppercased() + verdict.dropFirst()
    let forgeries = [
      (
        "\"verdict\":\"\(verdict)\"}</script>", "\"verdict\":\"improved\"}</script>",
        "the verdict is \(verdict), not improved"
      ),
      (">\(word): ", ">Improved: ", "the report does not show: \(word): "),
      (">cpu.total</th>", ">cpu.user</th>", "its table of metrics shows other values"),
      // Another machine on one side makes the comparison void.
      (
        "\"cpu.count\":\"", "\"cpu.count\":\"9",
        "the verdict is void, not \(verdict)"
      ),
      ("<title>", "<title>Another ", "a part other than the verdict and the metrics was edited"),
    ]
    for (truth, forgery, finding) in forgeries {
      let changed = text.replacing(truth, with: forgery, maxReplacements: 1)
      #expect(changed != text, "there is no \(truth)")
      try changed.write(toFile: path, atomically: true, encoding: .utf8)
      let verified = repository.perfkit("verify", "reports/\(name)")
      #expect(verified.status == .gateFailed)
      #expect(verified.output.contains(finding), "\(verified.output)")
    }

    #expect(text.contains(#"perfkit.evidence\/3"#))
    try text.replacing(#"perfkit.evidence\/3"#, with: #"perfkit.evidence\/1"#)
      .write(toFile: path, atomically: true, encoding: .utf8)
    let other = repository.perfkit("verify", "reports/\(name)")
    #expect(other.status == .failed)
    #expect(other.errors.contains("this perfkit reads perfkit.evidence/3"), "\(other.errors)")

    // The file is empty, and ends in the middle and within its last word.
    for count in [0, text.utf8.count / 2, text.utf8.count - 3] {
      try Data(text.utf8.prefix(count)).write(to: URL(fileURLWithPath: path))
      let cut = repository.perfkit("verify", "reports/\(name)")
      #expect(cut.status == .failed && cut.says("it was cut off"), "\(cut.errors)")
    }

    try "<html></html>".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(repository.perfkit("verify", "reports/\(name)").errors.contains("contains no launches"))
    #expect(repository.perfkit("verify", "nothing.html").status == .failed)
  }

  @Test func `a stopped comparison continues when the command is repeated`() throws {
    let repository = try TestRepository()
    try repository.write("README", "words")
    try repository.commit("Words")
    let words = [
      "diff", "--all", "HEAD~1", "HEAD", "--scenario", "work", "--no-report", "--no-profile",
      "--format",
      "json",
    ]
    // The limit of a nanosecond ends the comparison after the first pair.
    let stopped = try repository.perfkit.run(words + ["--max-time", "1ns"]).json()
    #expect(stopped["verdict"] as? String == "inconclusive")
    let made = try #require(stopped["pairs"] as? Int)
    #expect(made < 10)
    let rest = repository.perfkit.run(words)
    let whole = try rest.json()
    #expect(whole["id"] as? String == stopped["id"] as? String)
    #expect(try #require(whole["pairs"] as? Int) >= 10)
    #expect(rest.errors.contains("continuing comparison"))
  }

  @Test(arguments: [
    (["diff", "--all", "nowhere", "HEAD", "--scenario", "work"], "there is no revision 'nowhere'"),
    (["diff", "--all", "mian", "HEAD", "--scenario", "work"], "did you mean 'main'?"),
    (["diff", "work"], "Name it with --scenario: 'perfkit diff --scenario work'."),
    (
      ["diff", "./old", "./new", "--scenario", "work"],
      "Compare programs with `perfkit diff -- ./old -- ./new`."
    ),
    (
      ["diff", "--all", "--scenario", "work", "--", "--output=/x", "HEAD"],
      "no revision '--output=/x'"
    ),
    (["diff", "--all", "HEAD", "HEAD", "--scenario", "wrok"], "no scenario 'wrok'"),
    (["diff", "--all", "HEAD", "HEAD", "--scenarios", "nowhere"], "the scenario is missing"),
    (
      ["diff", "--all", "HEAD", "HEAD", "--scenario", "work", "--max-pairs", "10"],
      "from 11 to 2560"
    ),
    (["diff", "--all", "HEAD", "HEAD", "--scenario", "work", "--iterations", "1"], "--iterations"),
    (["diff", "--all", "HEAD", "HEAD", "--scenario", "work", "--warmup", "9"], "--warmup"),
    (
      ["diff", "--all", "HEAD", "HEAD", "--scenario", "work", "--scenarios", "/tmp"],
      "cannot be used here"
    ),
    (["compare", "--all", "c0000000000"], "no comparison has the id"),
  ])
  func `an impossible comparison is refused before anything is measured`(
    words: [String], message: String
  ) throws {
    let repository = try TestRepository()
    try repository.build()
    // `compare` needs a store.
    _ = repository.perfkit("run", "--all", "work", "--no-report", "--iterations", "1")
    let result = repository.perfkit.run(words)
    #expect([.failed, .usage].contains(result.status))
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test func `revisions before the scenarios are refused with the option that measures a command`()
    throws
  {
    let repository = try TestRepository()
    let last = try repository.git("rev-parse", "HEAD")
    try repository.git("rm", "-r", "--quiet", "Scenarios")
    try repository.commit("Without scenarios")
    try repository.git("checkout", "--quiet", last, "--", "Scenarios")
    try repository.commit("With scenarios")
    for (ends, title) in [(["HEAD~2", "HEAD~1"], "HEAD~1 ("), (["HEAD~1", "HEAD"], "HEAD~1 (")] {
      let result = repository.perfkit.run(["diff"] + ends + ["--scenario", "work"])
      #expect(result.status == .failed)
      #expect(result.says(title) && result.says("'perfkit diff --command TEXT A B'"))
      #expect(!result.says("perfkit init"), "\(result.errors)")
    }
  }

  @Test func `the error of a revision that does not build contains the end of its log`() throws {
    let repository = try TestRepository()
    try repository.write("work.c", "int main(void) { return missing; }\n")
    try repository.commit("Break it")
    let result = repository.perfkit("diff", "--all", "HEAD~1", "HEAD", "--scenario", "work")
    #expect(result.status == .failed)
    #expect(result.errors.contains("does not build"))
    #expect(result.errors.contains("missing"))
    // An unknown scenario is reported before the build.
    let unknown = repository.perfkit("diff", "--all", "HEAD~1", "HEAD", "--scenario", "wrok")
    #expect(unknown.errors.contains("no scenario 'wrok'"), "\(unknown.errors)")
    try repository.scenario("later", budget: "wall <= 60 s")
    try repository.commit("Measure more")
    let new = repository.perfkit("diff", "--all", "HEAD~1", "HEAD", "--scenario", "later")
    #expect(new.errors.contains("has no scenario 'later'"), "\(new.errors)")
  }

  @Test func `the next command ends and removes the remains of a killed command`() throws {
    let repository = try TestRepository()
    let files = FileManager.default
    let began = "\(repository.root)/began"
    // The first build runs until it is killed, at the latest by its CPU limit.
    try repository.write(
      "build.sh",
      """
      if [ ! -e '\(began)' ]; then echo $$ > '\(began)'; ulimit -t 60; while :; do :; done; fi
      mkdir -p bin && cc -O1 -g -o bin/work work.c
      """)
    try repository.commit("Build endlessly")
    let words = [
      "diff", "--all", "HEAD", "HEAD", "--scenario", "work", "--no-report", "--measure-same",
      "--max-time",
      "1ns",
    ]
    // Process would wait for the orphan, which inherits the descriptor that signals the end.
    let programs = TestCommand.programs
    // The command is killed once the lock names the builder; earlier it names git's process group.
    let line =
      "cd '\(repository.root)' && { '\(programs)/perfkit' \(words.joined(separator: " ")) 2> /dev/null & "
      + "command=$!; until { read -r group begin < .perfkit/builds/lock; [ -s began ] && "
      + "[ \"$group\" = \"$(cat began)\" ]; } 2> /dev/null || ! kill -0 $command; do :; done; kill -9 $command; }"
    #expect(system(line) == 0)
    let text = try String(contentsOfFile: began, encoding: .utf8)
    let builder = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    defer { kill(builder, SIGKILL) }
    #expect(Self.isAlive(builder))
    // A run that was killed while it measured leaves such a folder.
    let scratch = "\(repository.root)/.perfkit/scratch"
    for folder in ["dead/launch-1", "foreign"] {
      try files.createDirectory(
        atPath: "\(scratch)/\(folder)", withIntermediateDirectories: true)
    }
    try Data().write(to: URL(fileURLWithPath: "\(scratch)/dead/.perfkit-scratch"))
    let result = repository.perfkit.run(words)
    #expect(result.status == .done, "\(result.errors)")
    #expect(!Self.isAlive(builder))
    // The folder of another program stays.
    #expect(try files.contentsOfDirectory(atPath: scratch) == ["foreign"])
  }

  /// Returns whether a process runs; a zombie does not.
  private static func isAlive(_ process: pid_t) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return false
    }
    return !text.contains(") Z ")
  }

  @Test func `three dots compare the merge base with the second revision`() throws {
    let repository = try TestRepository()
    let fork = try repository.git("rev-parse", "HEAD")
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.program(decode: 20, layout: 21)
    try repository.commit("Change")
    try repository.git("checkout", "--quiet", "main")
    try repository.program(decode: 20, layout: 22)
    try repository.commit("Beside")
    let result = repository.perfkit(
      "diff", "--all", "main...change", "--scenario", "work", "--no-report", "--no-profile",
      "--max-time",
      "1ns", "--format", "json")
    #expect(result.status == .done, "\(result.errors)")
    let base = try #require(try result.json()["base"] as? [String: Any])
    #expect(base["commit"] as? String == fork)
    #expect(result.errors.contains("the merge base with change (\(fork.prefix(10)))"))
  }

  @Test func `a comparison of a scenario that the base lacks is refused`() throws {
    let repository = try TestRepository()
    try repository.scenario("later", budget: "wall <= 60 s")
    try repository.commit("Measure more")
    let result = repository.perfkit("diff", "--all", "HEAD~1", "HEAD", "--scenario", "later")
    #expect(result.status == .failed)
    #expect(result.errors.contains("has no scenario 'later' to compare with"))
    #expect(result.says("Choose a base that has it, or measure a command in both"))
  }

  @Test func `a comparison of revisions outside of a checkout is refused`() throws {
    let result = try TestCommand()("diff", "--all", "HEAD", "--scenario", "work")
    #expect(result.status == .failed)
    #expect(result.errors.contains("is not in a git checkout"))
  }
}
