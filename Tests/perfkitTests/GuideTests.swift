import ArgumentParser
import Foundation
import PerfGate
import Testing

@testable import perfkit

/// The page of `perfkit guide`.
struct GuideTests {
  /// Returns the commands of the page, without their explanations.
  private static func commands(_ page: String) -> [String] {
    page.split(separator: "\n").compactMap { line in
      guard let start = line.range(of: "perfkit "),
        line[..<start.lowerBound].allSatisfy({ " 0123456789.".contains($0) })
      else { return nil }
      return line[start.upperBound...].components(separatedBy: "  ")[0]
    }
  }

  @Test func `the guide is one page of 80 columns and 60 lines`() throws {
    let result = try TestCommand()("guide")
    #expect(result.status == .done)
    #expect(result.errors.isEmpty)
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 60)
    for line in lines { #expect(line.count <= 80, "\(line)") }
  }

  @Test func `the command accepts every example of the guide`() throws {
    let commands = Self.commands(try TestCommand()("guide").output)
    #expect(commands.count >= 15)
    for command in commands {
      #expect(throws: Never.self, "\(command)") {
        _ = try Perfkit.parseAsRoot(shellWords(command))
      }
    }
    for verb in ["run", "diff", "try", "gate", "decide", "annotate", "mcp"] {
      #expect(commands.contains { $0.hasPrefix(verb) }, "\(verb)")
    }
  }
}
