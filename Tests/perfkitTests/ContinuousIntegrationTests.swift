import Foundation
import Testing

@testable import perfkit

/// The files that users copy into their CI.
struct ContinuousIntegrationTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Scripts/ci")

  @Test(arguments: ["github.yml", "gitlab.yml"])
  func `the gate of the file is one that the command understands, in a repository like a user's`(
    name: String
  ) throws {
    let text = try String(
      contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
    let line = try #require(
      text.split(separator: "\n").first { $0.contains("perfkit gate") })
    let start = try #require(line.range(of: "perfkit gate"))
    let words = line[start.lowerBound...].split(separator: " ").dropFirst()
      .prefix { $0 != "||" }
      // What the CI system would put in: the target branch, or its commit.
      .map { $0.hasPrefix("\"") ? "main" : String($0) }
    let repository = try TestRepository()
    let result = repository.perfkit.run(words + ["--dry-run"])
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.output.contains("1 scenario against main, small parameter sets"))
    #expect(text.contains(".perfkit/builds"))
  }
}
