import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Comparisons of revisions that are linked with several layouts.
@Suite(.serialized)
struct LayoutVerbTests {
  private static let project = #"link: [/bin/sh, link.sh, "{layout}"]"#
  private static let options = [
    "--scenario", "work", "--no-profile", "--no-report", "--randomize-layout",
  ]

  private func repository(_ project: String = Self.project) throws -> TestRepository {
    let repository = try TestRepository(gate: project)
    try repository.write(
      "build.sh",
      "mkdir -p bin && clang -O1 -g -ffunction-sections -c work.c -o bin/work.o && sh link.sh\n")
    try repository.write(
      "link.sh", "exec clang -fuse-ld=lld ${1:+\"$1\"} bin/work.o -o bin/work\n")
    try repository.program(decode: 2, layout: 2)
    try repository.commit("Link by LLD")
    return repository
  }

  @Test func `each pair takes the next link of both sides, and the report shows the layouts`()
    throws
  {
    let repository = try repository()
    try repository.program(decode: 4, layout: 2)
    try repository.commit("Decode twice")
    let result = repository.perfkit.run(
      ["diff", "--all", "HEAD~1", "HEAD"] + Self.options + [
        "11", "--format", "json", "--exit-code",
      ])
    // 4 + 2 against 2 + 2 million steps, far more than any layout.
    #expect(result.status == .gateFailed, "\(result.errors)")
    let comparison = try result.json()
    #expect(comparison["layouts"] as? Int == 11)
    let metrics = try #require(comparison["metrics"] as? [[String: Any]])
    let cpu = try #require(metrics.first { $0["name"] as? String == "cpu.total" })
    let layout = try #require(cpu["layout"] as? [String: Any])
    #expect((0...1).contains(try #require(layout["share"] as? Double)))
    let id = try #require(comparison["id"] as? String)
    let again = repository.perfkit("compare", id)
    #expect(again.prints("11 links of each side, each with another layout; layout alone moves"))
  }

  @Test func `equal programs stay the same program with any layout`() throws {
    let repository = try repository()
    try repository.write("NOTES.md", "Nothing.\n")
    try repository.commit("Write notes")
    let result = repository.perfkit.run(
      ["diff", "--all", "HEAD~1", "HEAD"] + Self.options + ["11"])
    #expect(result.status == .done && result.prints("the same program"), "\(result.errors)")
  }

  @Test func `layouts are refused for programs that cannot be linked anew`() throws {
    let repository = try repository("")
    let plain = repository.perfkit.run(["diff", "--all", "HEAD~1", "HEAD"] + Self.options + ["11"])
    #expect(plain.status == .failed && plain.says("perfkit.yml has no `link`"), "\(plain.errors)")
    let variants = repository.perfkit(
      "diff", "--all", "--randomize-layout", "11", "--", "/bin/true", "--", "/bin/echo")
    #expect(variants.status == .usage && variants.says("needs. Compare revisions"))
    let gate = repository.perfkit("gate", "--all", "--budgets-only", "--randomize-layout", "11")
    #expect(gate.status == .usage && gate.says("links the programs of two revisions"))
    let few = repository.perfkit.run(["diff", "--all", "HEAD~1", "HEAD"] + Self.options + ["5"])
    #expect(few.status == .usage && few.says("from 11 to 1000, not 5"))
  }
}
