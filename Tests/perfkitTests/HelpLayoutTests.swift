import ArgumentParser
import Foundation
import Testing

@testable import perfkit

/// The examples in the help of every verb, and its width.
struct HelpLayoutTests {
  /// The verbs that have subcommands, and the command itself.
  private static let groups = [
    [], ["store"], ["baseline"], ["import"], ["hub"], ["hub", "submit"],
  ].map { OfferedVerb(path: $0, discussion: "", options: []) }

  @Test func `every help has examples, which the command accepts as they are copied`() throws {
    let perfkit = try TestCommand()
    for verb in try OfferedVerb.all() + Self.groups {
      let help = perfkit.run(["help"] + verb.path).output
      // Examples are indented by two spaces; the shell ends their command at a pipe.
      let examples = help.split(separator: "\n").filter { $0.hasPrefix("  perfkit ") }
        .map { $0.dropFirst(2).components(separatedBy: " | ")[0] }
      let name = (["perfkit"] + verb.path).joined(separator: " ")
      #expect(examples.contains { $0 == name || $0.hasPrefix("\(name) ") }, "\(name)")
      for example in examples {
        #expect(throws: Never.self, "\(name): \(example)") {
          _ = try Perfkit.parseAsRoot(Array(shellWords(example).dropFirst()))
        }
      }
    }
  }

  @Test func `every help fits into 80 columns without breaking an example`() throws {
    let perfkit = try TestCommand()
    for verb in try OfferedVerb.all() + Self.groups {
      let help = perfkit.run(["help"] + verb.path, variables: ["COLUMNS": "80"]).output
      let lines = help.split(separator: "\n").map(String.init)
      for line in lines { #expect(line.count <= 80, "\(verb.path): \(line)") }
      // A broken example could not be copied.
      for example in verb.discussion.split(separator: "\n") where example.hasPrefix("  perfkit ") {
        #expect(lines.contains(String(example)), "\(verb.path): \(example)")
      }
    }
  }
}
