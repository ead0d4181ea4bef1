import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// Every command of the tour, run in order and word for word.
///
/// The test measures for real, so it needs the release programs that `Scripts/test` builds and names
/// in PERFKIT_PROGRAMS.
struct TourTests {
  /// Returns the words after `$ perfkit` of every console block.
  private static func commands() throws -> [[String]] {
    let document = try #require(DocumentFile("Documentation/Tour.md"))
    return document.text.split(separator: "\n").filter { $0.hasPrefix("$ perfkit ") }.map {
      shellWords(String($0.dropFirst("$ perfkit ".count)))
    }
  }

  @Test(.enabled(if: TestCommand.hasReleasePrograms, "PERFKIT_PROGRAMS is not set"))
  func `every command of the tour works word for word`() async throws {
    let perfkit = try TestCommand()
    try FileManager.default.removeItem(atPath: perfkit.folder("Scenarios"))
    try FileManager.default.createSymbolicLink(
      atPath: perfkit.folder("Scenarios"),
      withDestinationPath: DocumentFile.root.appendingPathComponent("Scenarios").path)
    let commands = try Self.commands()
    #expect(commands.count >= 24)
    // The scrolls mostly wait for their frames, which would keep a thread from other tests for minutes.
    let results = try await onOwnThread { commands.map { perfkit.run($0) } }
    for (words, result) in zip(commands, results) {
      // A broken budget and a disturbed machine depend on the machine; every other failure is a bug.
      let isAllowed =
        result.status == .done
        || words.first == "gate" && [.gateFailed, .inconclusive].contains(result.status)
        || words.first == "doctor" && result.status == .inconclusive
      #expect(
        isAllowed,
        "perfkit \(words.joined(separator: " ")) exited with \(result.status): \(result.errors)")
      if words.first == "gate" {
        #expect(FileManager.default.fileExists(atPath: perfkit.folder(".perfkit/verdict.json")))
      }
      if words.first == "compare" {
        // The naive scroll keeps every full cover, so it needs more memory on any machine.
        #expect(result.output.contains("improved"))
      }
      if let place = words.firstIndex(of: "--output") {
        let file = perfkit.folder(words[place + 1])
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
        #expect(try #require(size) > 1000)
      }
    }
  }
}
