import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The first Ctrl-C while git works for the command.
@Suite(.serialized)
struct StopTests {
  @Test func `the first Ctrl-C during a checkout stops the command`() throws {
    let repository = try TestRepository()
    let (filter, began) = try repository.checkoutThatHangs()
    let words = [
      "diff", "--all", "HEAD", "HEAD", "--scenario", "work", "--no-profile", "--no-report",
      "--max-time",
      "1ns",
    ]
    let stopped = repository.perfkit.run(
      words, cancellation: Cancellation { FileManager.default.fileExists(atPath: began) })
    #expect(stopped.status == .interrupted, "\(stopped.errors)")
    try FileManager.default.removeItem(atPath: filter)
    let result = repository.perfkit.run(words)
    #expect(result.status == .done, "\(result.errors)")
  }

  @Test(arguments: [
    (["bisect", "HEAD~1", "HEAD", "--scenario", "work", "--metric", "cpu.total"], "rev-list"),
    (["gate", "--all", "--against", "HEAD~1"], "rev-parse --verify"),
    // The changed files are queried after both revisions are built.
    (["gate", "--all", "--against", "HEAD~1", "--no-profile"], "diff-tree"),
  ])
  func `the first Ctrl-C during a git query stops every verb`(
    words: [String], question: String
  ) throws {
    let repository = try TestRepository()
    try repository.write("words", "one\n")
    try repository.commit("Words")
    let (variables, began) = try repository.gitThatHangs(at: question)
    let stopped = repository.perfkit.run(
      words, variables: variables,
      cancellation: Cancellation { FileManager.default.fileExists(atPath: began) })
    #expect(stopped.status == .interrupted, "\(stopped.errors)")
    #expect(!stopped.errors.contains("git was stopped"), "\(stopped.errors)")
    #expect(!stopped.output.contains("CancellationError"), "\(stopped.output)")
    #expect(FileManager.default.fileExists(atPath: began))
  }
}
