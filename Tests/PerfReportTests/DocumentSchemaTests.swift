import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

/// The documents of the snapshots match the schemas of `Documentation/schemas`.
struct DocumentSchemaTests {
  @Test func `runs with and without lost launches match their schema`() throws {
    try expect(SampleDocuments.run().json, matches: "run")
    try expect(
      SampleDocuments.run(
        variant: "naive", launches: 8,
        statuses: [2: .crashed(signal: 11), 5: .timedOut, 6: .jetsam, 7: .failed("no book")]
      ).json, matches: "run")
  }

  @Test(arguments: [
    ("run", "run"), ("comparison", "comparison"), ("counted-comparison", "comparison"),
    ("history", "history"), ("selftest", "selftest"),
  ])
  func `a snapshot matches its schema`(snapshot: String, schema: String) throws {
    let file = #filePath.replacing(
      "/DocumentSchemaTests.swift", with: "/Snapshots/\(snapshot).json")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try expect(try #require(JSONValue(parsing: text.utf8)), matches: schema)
  }

  @Test func `the functions of a run have shares of at most the whole profile`() throws {
    guard case .array(let functions) = SampleDocuments.run().functionsJSON else {
      Issue.record("the run has no functions")
      return
    }
    #expect(!functions.isEmpty && functions.count <= 100)
    var last = 1.0
    var sum = 0.0
    for function in functions {
      guard case .number(let own)? = function["self_share"],
        case .number(let total)? = function["total_share"]
      else {
        Issue.record("a function has no shares")
        return
      }
      #expect(own > 0 && own <= last && own <= total && total <= 1)
      last = own
      sum += own
    }
    #expect(sum <= 1.000001)
  }

  @Test func `a run without a profile has no functions`() {
    #expect(SampleDocuments.run(samples: 0).functionsJSON == .null)
  }
}
