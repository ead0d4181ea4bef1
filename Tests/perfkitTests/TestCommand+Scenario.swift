import PerfTestSupport

extension TestCommand {
  /// Returns a command with a scenario that measures a plain command.
  static func measuring(
    _ name: String, _ words: String, iterations: Int = 2, timeout: String = "60s",
    more: String = "", warmup: Int = 0
  ) throws -> TestCommand {
    let command = try TestCommand()
    try command.scenario(
      name,
      """
      scenario: \(name)
      summary: A command.
      command: \(words)
      variants: { plain: {} }
      default_variant: plain
      iterations: \(iterations)
      warmup: \(warmup)
      timeout: \(timeout)
      \(more)
      """)
    return command
  }
}
