import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfScenario

/// Scenario and project files with seeded changes are read, or refused with an error.
struct MutatedFilesTests {
  private static let commands = """
    scenario: import
    summary: Imports a table.
    command: [./import, "books.csv"]
    directory: ..
    environment: { LC_ALL: C, N: 3 }
    stdin: books.csv
    prepare: [rm, -f, index]
    accept_exit: [0, 1]
    output: keep
    metrics:
      rows: { unit: count, pattern: "rows: ([0-9]+)" }
      parse: { unit: ms, json: stats.time, file: out.json }
    variants: { default: {} }
    expects: [wall of default <= 2 s]
    """

  @Test func `a changed scenario file is read or refused`() {
    Mutation.each(of: [ScenarioFileTests.example, Self.commands], count: 1500, seed: 1) { text in
      do throws(ScenarioError) {
        let file = try ScenarioFile(text: text, path: "scroll-1000.yml")
        _ = try? file.checked(against: bookWorkloads)
      } catch {
        #expect(!error.description.isEmpty)
        #expect(error.description.utf8.count < 200_000)
      }
    }
  }

  @Test func `aliases whose expansion takes years are refused at once`() {
    // Each list contains the previous one ten times; the key has ten to the eighth words.
    var text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for (name, before) in zip("bcdefgh", "abcdefg") {
      text +=
        "\(name): &\(name) [" + Array(repeating: "*\(before)", count: 10).joined(separator: ", ")
        + "]\n"
    }
    let message = complaint(text + "? *h\n: 1\n")
    #expect(message?.contains("alias") == true, "\(message ?? "")")
  }

  @Test func `a pattern whose parser would overflow the stack is refused`() {
    let pattern = String(repeating: "[", count: 10_000)
    let text = Self.commands.replacing("rows: ([0-9]+)", with: pattern)
    #expect(complaint(text)?.contains("it has more than 50 brackets '['") == true)
  }

  @Test func `a scenario file of megabytes is refused without reading it`() throws {
    let folder = try TemporaryFolder()
    let path = folder("s.yml")
    try (head + String(repeating: "# comment\n", count: 200_000)).write(
      toFile: path, atomically: true, encoding: .utf8)
    let error = try #require(throws: ScenarioError.self) { try ScenarioFile(path: path) }
    #expect(error.description.contains("it is larger than 1 MB. A scenario needs some kilobytes"))
  }

  @Test func `a changed project file is read or refused`() {
    let project = """
      build: [[swift, build, -c, release], [make, work]]
      products: .build/release
      toolchain: [swift, --version]
      link: [clang, -fuse-ld=lld, "{layout}", main.o, -o, tool]
      worker: BookWorkloads
      scenarios: Scenarios
      gate: { against: origin/main, max_time: 10 min, margin: 2%, metrics: { cpu.total: {} } }
      controls: [palette-extract]
      """
    Mutation.each(of: [project], count: 1500, seed: 2) { text in
      do throws(ScenarioError) {
        _ = try ProjectFile(text: text, path: "perfkit.yml")
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }
}
