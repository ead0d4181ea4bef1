internal import ArgumentParser
internal import PerfModel
internal import PerfReport

/// The verb `perfkit chart REF --kind K -o FILE`.
struct ChartVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "chart",
    abstract: "Draw one figure of a run as PNG or SVG.",
    discussion: """
      PNG needs gnuplot; SVG is drawn without it where it is missing. Kinds:
      \(ChartKind.allCases.map { "  \($0.rawValue): \($0.summary)" }.joined(separator: "\n"))

      Example:
        perfkit chart latest --kind frames --output frames.png
        perfkit chart scroll-1000:optimised --against scroll-1000:naive --kind comparison -o c.svg
      """)

  @Argument(help: "Which run.")
  var reference = "latest"

  @Option(
    help: ArgumentHelp("Which figure, of the kinds above.", valueName: "kind"),
    transform: Self.kind)
  var kind = ChartKind.frames

  @Option(help: ArgumentHelp("The run to compare with.", valueName: "ref"))
  var against: String?

  @OptionGroup(title: "Comparing")
  var comparing: ComparisonOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file; its ending, .png or .svg, says the format.", valueName: "file"))
  var output: String

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func validate() throws {
    if ChartFormat(path: output) == nil {
      throw ValidationError("--output must end in .png or .svg, not '\(output)'.")
    }
    if kind == .comparison, against == nil {
      throw ValidationError("a comparison chart needs --against and a second run.")
    }
  }

  private static func kind(_ text: String) throws -> ChartKind {
    let names = ChartKind.allCases.map(\.rawValue)
    guard let kind = ChartKind(rawValue: text) else {
      throw ValidationError(
        "there is no chart '\(text)' among \(names.joined(separator: ", "))"
          + NearestName.hint(for: text, among: names))
    }
    return kind
  }

  func perform(_ context: Context) throws -> ExitStatus {
    let stored = try StoredRuns(global, context)
    let run = RunSummary(try stored.run(reference))
    let figure: Figure
    if let against {
      let base = RunSummary(try stored.run(against))
      let comparison = try comparing.compare(base.run, run.run, context)
      figure = try ComparisonDocument(
        comparison, base: base.document, candidate: run.document
      ).figure(kind)
    } else {
      figure = try run.document.figure(kind)
    }
    guard let format = ChartFormat(path: output) else { return .usage }
    try FallbackChartRenderer().draw(figure, format: format, to: context.absolute(output))
    return .done
  }
}
