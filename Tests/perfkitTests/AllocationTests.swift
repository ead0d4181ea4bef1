import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Comparisons with `--allocations` name the functions that allocate more, and their callers.
@Suite(.serialized)
struct AllocationTests {
  private func changed(_ comparison: [String: Any], by list: String) throws -> [[String: Any]] {
    let allocations = try #require(comparison["allocations"] as? [String: Any])
    let functions = try #require(allocations[list] as? [[String: Any]])
    return functions.filter { $0["significant"] as? Bool == true }
  }

  @Test func `one more allocation of an operation is named with its caller`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "shelf.c", "-g", "-o", "shelf")
    let result = perfkit.run([
      "diff", "--all", "--allocations", "--max-pairs", "28", "--no-report", "--format", "json",
      "--", "./shelf", "--", "./shelf", "sorted",
    ])
    #expect(result.status == .done, "\(result.errors)")
    let comparison = try result.json()
    let sentence = try #require(comparison["sentence"] as? String)
    #expect(
      sentence.contains("More allocations in copy_title, called by sort_shelf (about +"),
      "\(sentence)")
    for (list, amount) in [("counts", 200_000.0), ("bytes", 12_800_000)] {
      let functions = try changed(comparison, by: list)
      #expect(functions.map { $0["name"] as? String } == ["copy_title"])
      #expect(functions.first?["callers"] as? [String] == ["sort_shelf"])
      // At least 11 launches with 24 and 49 samples: a standard error of a tenth or less.
      let difference = try #require(functions.first?["difference"] as? Double)
      #expect(abs(difference / amount - 1) < 0.4)
    }
    // The stored runs give the same names, also as runs that were measured one after the other.
    let id = try #require(comparison["id"] as? String)
    let wrong = perfkit("show", id)
    #expect(wrong.says("names no run: it is a comparison. 'perfkit compare \(id)' prints it."))
    let text = perfkit("compare", id, "--all")
    #expect(text.prints("Allocations that changed, per launch"), "\(text.output)")
    #expect(text.output.contains("sort_shelf"))
    let sides = ["base", "candidate"].compactMap { comparison[$0] as? [String: Any] }
    let runs = sides.compactMap { $0["id"] as? String }
    let again = perfkit.run(["compare"] + runs + ["--format", "json"])
    #expect(again.status == .done, "\(again.errors)")
    let functions = try changed(try again.json(), by: "counts")
    #expect(functions.map { $0["callers"] as? [String] } == [["sort_shelf"]])
  }

  @Test func `without sampled allocations no function is compared by them`() throws {
    let perfkit = try TestCommand()
    try perfkit.compile(program: "shelf.c", "-g", "-o", "shelf")
    let result = perfkit.run([
      "diff", "--max-pairs", "11", "--no-report", "--no-profile", "--allocations", "--format",
      "json", "--", "./shelf", "--", "./shelf", "sorted",
    ])
    #expect(result.status == .done, "\(result.errors)")
    #expect(try result.json()["allocations"] is NSNull)
  }
}
