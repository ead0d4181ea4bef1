internal import PerfGate
internal import PerfModel
internal import PerfRunner
internal import PerfScenario

extension DiffVerb {
  /// Returns the sides of two commands after `--`, or of `--command` in two revisions; nil if
  /// scenarios are measured.
  ///
  /// - Throws: `Failure` for wrong usage, `RunnerError` or `RevisionError`.
  func commandSides(_ measuring: Measuring, _ context: Context) throws -> PairedSides? {
    // Revisions whose names begin with - may follow a -- as well.
    let words = scenario.isEmpty && text == nil ? context.commandWords : nil
    guard words != nil || text != nil else {
      try command.refuseWithoutCommand()
      if warmup != nil { throw misuse("--warmup applies to commands: pairs need no warm-up") }
      return nil
    }
    guard scenario.isEmpty, variant.isEmpty, measuring.settings.overrides.isEmpty else {
      throw misuse("a command has no scenario, variant or parameter")
    }
    guard let words else { return try revisionSides(measuring, context) }
    let commands = words.split(separator: "--", omittingEmptySubsequences: false)
      .map { Array($0) }
    guard commands.count == 2, commands.allSatisfy({ $0.first?.isEmpty == false }) else {
      throw misuse("diff compares two commands, each after --: `perfkit diff -- ./old -- ./new`")
    }
    guard revisions.count == words.count else {
      throw misuse("two commands have no revisions, and --command measures one in two revisions")
    }
    let files = try command.scenarios(of: commands, measuring)
    logPlan(files, commands.map { $0.joined(separator: " ") }, measuring, context)
    return try measuring.sides(of: files[0], against: files[1])
  }

  private func revisionSides(_ measuring: Measuring, _ context: Context) throws -> PairedSides {
    let words = try CommandOptions.words(text ?? "", of: "--command")
    let file = try command.scenarios(of: [words], measuring)[0]
    let built = try BuiltRevisions(
      measuring: measuring, needsProject: false, layouts: pairing.randomizeLayout
    ) { checkout in
      let found = try revisions(of: checkout)
      logPlan([file, file], [found.base.title, found.candidate.title], measuring, context)
      return found
    }
    return try built.sides(ofCommand: file, measuring: measuring)
  }

  private func logPlan(
    _ files: [ScenarioFile], _ titles: [String], _ measuring: Measuring, _ context: Context
  ) {
    let variants = files.map(\.scenario.defaultVariant)
    logPlan(
      [WorstCase.Item(files[0].scenario.name, variants[0], variants[1])],
      titles.joined(separator: " to "), measuring, context, file: { _ in files[1] })
  }

  private func misuse(_ problem: String) -> Failure { Failure("\(problem).", status: .usage) }
}
