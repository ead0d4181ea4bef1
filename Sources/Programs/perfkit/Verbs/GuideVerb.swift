internal import ArgumentParser
internal import PerfGate

/// The verb `perfkit guide`.
struct GuideVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "guide",
    abstract: "Print how to measure, decide and try, on one page.",
    discussion: """
      Example:
        perfkit guide
      """)

  func perform(_ context: Context) throws -> ExitStatus {
    context.console.write(PackageResources.guide_txt)
    return .done
  }
}
