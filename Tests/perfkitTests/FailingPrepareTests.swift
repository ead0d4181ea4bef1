import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// A `prepare` that fails in the tree of the candidate alone.
@Suite(.serialized)
struct FailingPrepareTests {
  private let repository: TestRepository

  init() throws {
    repository = try TestRepository()
    try repository.write(
      "Scenarios/work.yml",
      """
      scenario: work
      summary: A program that needs a file.
      command: [../bin/work]
      prepare: [sh, prepare.sh]
      iterations: 1
      warmup: 0
      gate: { margin: 10%, metrics: { cpu.total: {} } }
      """)
    try repository.write("prepare.sh", "exit 0\n")
    try repository.commit("Prepare")
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.write("prepare.sh", "echo no disk >&2\nexit 4\n")
  }

  /// Checks that an error names the side, the command and its output.
  private func expectReason(in result: TestCommand.Result) {
    #expect(result.status == .failed, "\(result.output)\(result.errors)")
    #expect(result.says("`prepare` failed for launch 0 of the candidate: `"), "\(result.errors)")
    #expect(
      result.says("sh prepare.sh` exited with 4. Its last output: no disk"), "\(result.errors)")
  }

  @Test func `a diff ends with the side whose prepare fails`() {
    expectReason(
      in: repository.perfkit(
        "diff", "--all", "HEAD", "WORKTREE", "--scenario", "work", "--no-profile", "--no-report"))
  }

  @Test func `a try ends with the side whose prepare fails`() {
    expectReason(in: repository.perfkit("try", "--scenario", "work", "--no-profile"))
  }

  @Test func `a search whose bad commit cannot be prepared is an error`() throws {
    try repository.commit("Need a disk")
    expectReason(
      in: repository.perfkit(
        "bisect", "HEAD~1", "HEAD", "--scenario", "work", "--metric", "cpu.total", "--no-profile"))
  }

  @Test func `a gate has the reason in all its files`() throws {
    let result = repository.perfkit(
      "gate", "--all", "--no-profile", "--comment", "comment.md", "--junit", "junit.xml",
      "--github")
    #expect(result.status == .failed, "\(result.output)\(result.errors)")
    #expect(result.prints("The gate could not be judged: work"), "\(result.output)")
    #expect(result.errors.contains("::error file=Scenarios/work.yml"), "\(result.errors)")
    for name in ["comment.md", "junit.xml"] {
      let text = try String(contentsOfFile: "\(repository.root)/\(name)", encoding: .utf8)
      #expect(text.contains("of the candidate: ") && text.contains("no disk"), "\(text)")
    }
    let results = try #require(repository.verdict()["results"] as? [[String: Any]])
    let note = try #require(results.first?["note"] as? String)
    #expect(note.hasPrefix("`prepare` failed for launch 0 of the candidate: "), "\(note)")
  }
}
