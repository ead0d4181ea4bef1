import Foundation
import PerfTestSupport
import Testing

@testable import perfkit

/// Every command of the README, run in order and word for word.
///
/// It measures for real, so it wants the release programs that `Scripts/test` builds and names in
/// PERFKIT_PROGRAMS.
struct TourTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The words behind `$ perfkit` of every console block.
  private static func commands() throws -> [[String]] {
    let text = try String(
      contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("$ perfkit ") }.map { line in
      line.dropFirst("$ perfkit ".count).split(separator: " ").map(String.init)
    }
  }

  @Test(.enabled(if: TestCommand.hasReleasePrograms, "PERFKIT_PROGRAMS is not set"))
  func `the tour works word for word`() throws {
    let perfkit = try TestCommand()
    try FileManager.default.removeItem(atPath: perfkit.folder("Scenarios"))
    try FileManager.default.createSymbolicLink(
      atPath: perfkit.folder("Scenarios"),
      withDestinationPath: Self.root.appendingPathComponent("Scenarios").path)
    let commands = try Self.commands()
    #expect(commands.count >= 10)
    for words in commands {
      let result = perfkit.run(words)
      // Whether a budget holds, or the machine is quiet, is its own affair; that it is told is not.
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
        // The naive scroll keeps every full cover: gigabytes on any machine, fast or slow.
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
