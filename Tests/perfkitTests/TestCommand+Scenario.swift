import Foundation
import PerfTestSupport

extension TestCommand {
  /// Returns a command with a scenario that measures a plain command.
  static func measuring(
    _ name: String, _ words: String, iterations: Int = 2, timeout: String = "60s",
    more: String = "", warmup: Int = 0
  ) throws -> TestCommand {
    let command = try TestCommand()
    try command.scenario(
      name, measuring: words, iterations: iterations, timeout: timeout, more: more, warmup: warmup)
    return command
  }

  /// Writes a scenario that measures a plain command into a folder below the command's folder.
  func scenario(
    _ name: String, measuring words: String, in place: String = "Scenarios", iterations: Int = 2,
    timeout: String = "60s", more: String = "", warmup: Int = 0
  ) throws {
    try FileManager.default.createDirectory(
      atPath: folder(place), withIntermediateDirectories: true)
    try """
    scenario: \(name)
    summary: A command.
    command: \(words)
    variants: { plain: {} }
    default_variant: plain
    iterations: \(iterations)
    warmup: \(warmup)
    timeout: \(timeout)
    \(more)
    """.write(toFile: folder("\(place)/\(name).yml"), atomically: true, encoding: .utf8)
  }
}
