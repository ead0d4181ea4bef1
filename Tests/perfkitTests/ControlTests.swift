import Foundation
import PerfGate
import PerfRunner
import PerfTestSupport
import Testing

@testable import perfkit

/// Controls of comparisons between revisions.
@Suite(.serialized)
struct ControlTests {
  /// Returns a repository with a second program in a file of its own.
  private func repository(_ project: String = "", steps: Int = 20) throws -> TestRepository {
    let repository = try TestRepository(gate: project, steps: steps)
    try repository.write(
      "build.sh",
      """
      mkdir -p bin && cc -O1 -g -o bin/work work.c && cc -O1 -g -o bin/still still.c
      """)
    try repository.write(
      "still.c",
      """
      static volatile unsigned long sink;
      int main(void) {
        for (long i = 0; i < 20000000L; i++) sink += i;
        return 0;
      }
      """)
    try repository.write(
      "Scenarios/still.yml",
      """
      scenario: still
      summary: A program that stays as it is.
      command: [../bin/still]
      iterations: 6
      warmup: 0
      gate: { margin: 20%, metrics: { cpu.total: {} } }
      """)
    try repository.commit("Another program")
    return repository
  }

  @Test func `a declared control that moves makes the gate void and is named`() throws {
    let repository = try repository("controls: [work]", steps: 5)
    try repository.git("checkout", "--quiet", "-b", "change")
    try repository.program(decode: 15, layout: 15)
    // The same program would need no pairs and no control.
    let still = try String(contentsOfFile: repository.root + "/still.c", encoding: .utf8)
    try repository.write("still.c", still.replacing("20000000L", with: "20000001L"))
    let result = repository.perfkit("gate", "--all", "still", "--no-profile", "--format", "json")
    #expect(result.status == .void, "\(result.output)\(result.errors)")
    #expect(result.output.contains("in the control scenario work, cpu.total rose by"))
    // Judging the stored comparison again gives the same verdict.
    let id = try #require(result.output.firstMatch(of: /"note" : "comparison (c[0-9a-z]+)"/)).1
    #expect(repository.perfkit("compare", String(id), "--exit-code").status == .void)
  }

  @Test func `a control with a failed launch leaves the gate undecided and is named`() throws {
    let repository = try repository("controls: [still]")
    // The first two, four or eight launches of both sides are thrown away, more if they are short.
    try repository.failingProgram("still.c", rounds: 20_000_000, launch: 20)
    try repository.commit("A control that fails")
    try repository.program(decode: 20, layout: 21)
    let result = repository.perfkit(
      "gate", "--all", "work", "--against", "HEAD", "--no-profile", "--max-pairs", "11", "--format",
      "json")
    #expect(result.status == .inconclusive, "\(result.output)\(result.errors)")
    let gap =
      #/scenario still \(1 of \d+ launches failed or lack a gating metric\) was not measured/#
    #expect(result.output.contains(gap))
    #expect(result.output.contains(#""note" : "control, not measured as planned; comparison c"#))
    // Judging the stored comparison again gives the same verdict.
    let id = try #require(result.output.firstMatch(of: /"note" : "comparison (c[0-9a-z]+)"/)).1
    let again = repository.perfkit("compare", String(id), "--exit-code", "--format", "json")
    #expect(again.status == .inconclusive && again.output.contains(gap), "\(again.output)")
  }

  @Test func `a program that is the same in both revisions is equivalent at once`() throws {
    let repository = try repository()
    try repository.program(decode: 60, layout: 20)
    let words = [
      "--scenario", "work", "--scenario", "still", "--no-report", "--no-profile", "--format",
      "json", "--max-pairs", "11",
    ]
    func comparisons(_ more: String...) throws -> ([[String: Any]], String) {
      let result = repository.perfkit.run(["diff"] + words + more)
      let found = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
      return (try #require(found as? [[String: Any]]), result.errors)
    }
    let (found, _) = try comparisons()
    let same = try #require(found.first { $0["same_program"] as? Bool == true })
    #expect(found.count == 2 && same["verdict"] as? String == "equivalent")
    #expect(same["pairs"] is NSNull && (same["metrics"] as? [Any])?.isEmpty == true)
    #expect((same["sentence"] as? String)?.contains("still:default is the same program") == true)
    let gate = repository.perfkit("gate", "--all", "still", "--against", "HEAD", "--no-profile")
    #expect(gate.status == .done, "\(gate.output)\(gate.errors)")
    #expect(gate.output.contains("equivalent: the same program"), "\(gate.output)")

    // Measured nevertheless, it is a control of the other scenario.
    let (measured, errors) = try comparisons("--measure-same")
    #expect(errors.contains("a control, as both run the same program"), "\(errors)")
    // The machine may disturb the control, which makes both comparisons void.
    let isVoid = measured[1]["verdict"] as? String == "void"
    #expect((measured[0]["verdict"] as? String == "void") == isVoid)
  }

  @Test func `a changed file that a program may read makes no program a control`() throws {
    let repository = try repository()
    try repository.write("covers.dat", "1")
    try repository.program(decode: 20, layout: 21)
    let result = repository.perfkit(
      "diff", "--all", "--scenario", "still", "--no-report", "--no-profile", "--max-time", "1ns")
    #expect(!result.errors.contains("a control, as"), "\(result.errors)")
  }

  @Test(arguments: ["still.md", "work.c"])
  func `a program that reads a changed text is no control`(path: String) throws {
    let repository = try repository()
    try repository.write("still.md", "# Words\n")
    // The file is found beside the program, which is located in the folder bin of the tree.
    try repository.write(
      "still.c",
      """
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      int main(int count, char **words) {
        char path[4096];
        char *program = realpath(words[0], 0);
        if (!program) return 1;
        *strrchr(program, '/') = 0;
        snprintf(path, sizeof path, "%s/../\(path)", program);
        return fopen(path, "r") == 0;
      }
      """)
    try repository.commit("Read a text")
    try repository.write("still.md", "# Other words\n")
    try repository.program(decode: 20, layout: 21)
    let result = repository.perfkit(
      "diff", "--all", "--scenario", "still", "--no-report", "--no-profile", "--max-time", "1ns")
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.errors.contains("a control, as"), "\(result.errors)")
  }

  @Test func `an unknown control is an error that suggests the nearest name`() throws {
    let repository = try repository("controls: [wrok]")
    let diff = repository.perfkit("diff", "--all", "HEAD", "HEAD", "--scenario", "still")
    #expect(diff.status == .failed)
    #expect(diff.errors.contains("no scenario 'wrok'") && diff.errors.contains("'work'"))
    let gate = repository.perfkit(
      "gate", "--all", "still", "--against", "HEAD", "--no-profile", "--format", "json")
    #expect(gate.status == .failed)
    #expect(gate.output.contains("did you mean 'work'?"))
  }
}
