internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfScenario
internal import PerfStore

extension RunVerb {
  /// The options that --resume accepts; the run determines all others.
  private static let ownOptions: Set<String> = [
    "resume", "store", "max-time", "report", "no-report", "exit-code", "format", "output", "all",
    "brief", "quiet", "verbose", "no-color",
  ]

  /// Completes a run that was cut off, by the options of its command line.
  ///
  /// - Throws: `Failure` if there is no such run, or if it cannot be completed; `StoreError`.
  func performResumption(_ given: Context) throws -> ExitStatus {
    let store = try global.existingStore(given)
    guard let run = try cutOffRun(in: store, given) else { return .done }
    var verb = self
    var context = given
    verb.resume = false
    if run.command.contains(where: { $0.contains(Redaction.mark) }) {
      // The stored command line lacks its secrets, so that the present one counts.
      guard context.commandWords != nil || scenarios.contains(run.scenario) else {
        throw Failure(
          "run \(run.id) cannot be resumed by its stored command line, which lacks the redacted parts. "
            + "Repeat the whole command line with --resume.")
      }
    } else {
      try refuseOptions(context)
      verb = try Self.verb(of: run)
      context.workspace.arguments = run.command
    }
    verb.variant = context.commandWords == nil ? [run.variant] : []
    (verb.report, verb.exitCode) = (report, exitCode)
    (verb.output, verb.length, verb.global) = (output, length, global)
    verb.measuring.maxTime = measuring.maxTime
    let status = try verb.perform(context, completing: run)
    if let other = try cutOffWith(run, in: store) {
      global.log(
        "run \(other) of the same command was cut off too: repeat `perfkit run --resume \(other)`",
        context)
    }
    return status
  }

  /// Returns the latest cut-off run that took turns with a run.
  private func cutOffWith(_ run: Run, in store: RunStore) throws -> String? {
    try store.headers(RunFilter(scenario: run.scenario)).first { header in
      guard header.state != .finished, header.id != run.id, header.variant != run.variant else {
        return false
      }
      return try store.run(id: header.id, including: []).command == run.command
    }?.id
  }

  /// Returns the latest run that was cut off; nil if the latest one is complete, which is printed then.
  ///
  /// - Throws: `Failure` if there is no run.
  private func cutOffRun(in store: RunStore, _ context: Context) throws -> Run? {
    let headers = try candidates(in: store, context)
    for header in headers where header.state != .finished {
      let run = try store.run(id: header.id)
      if run.command.first == Self.configuration.commandName { return run }
      guard headers.count > 1 else {
        throw Failure(
          "run \(run.id) cannot be resumed: `perfkit \(run.command.first ?? "")` made it. Repeat that "
            + "command.")
      }
    }
    guard let latest = headers.first else {
      throw Failure("there is no run to resume in '\(store.path)'.")
    }
    let summary = RunSummary(try store.run(id: latest.id), in: store)
    global.log(
      "run \(latest.id) already has all its "
        + Wording.count(summary.run.launches.count, "launch", "launches"), context)
    try output.write(
      [summary.document], detail: length.detail(), global: global, context: context)
    return nil
  }

  /// Returns the runs that the arguments name, the latest first.
  private func candidates(in store: RunStore, _ context: Context) throws -> [RunHeader] {
    if let words = context.commandWords {
      let measuring = Measuring(try measuring.settings(), global, context)
      let scenario = try command.scenarios(of: [words], measuring)[0].scenario
      return try store.headers(
        RunFilter(scenario: scenario.name, variant: scenario.defaultVariant))
    }
    guard scenarios.count <= 1 else {
      throw Failure("--resume completes one run: name one run or scenario.", status: .usage)
    }
    return try scenarios.first.map(store.runs(named:)) ?? store.headers()
  }

  /// Refuses options that the run determines.
  private func refuseOptions(_ context: Context) throws {
    for word in context.workspace.arguments.prefix(while: { $0 != "--" }) where word.hasPrefix("--")
    {
      let name = word.dropFirst(2).prefix { $0 != "=" }
      guard !Self.ownOptions.contains(String(name)) else { continue }
      throw Failure(
        "--resume takes the options of the run that it completes: leave out --\(name).",
        status: .usage)
    }
  }

  /// Returns the verb with the options of a run's command line.
  private static func verb(of run: Run) throws -> RunVerb {
    do {
      guard let verb = try Perfkit.parseAsRoot(run.command) as? RunVerb else {
        throw ValidationError("it is no `perfkit run`")
      }
      return verb
    } catch {
      throw Failure(
        "run \(run.id) cannot be resumed: its command line `perfkit "
          + "\(Wording.command(run.command))` cannot be read: \(Perfkit.message(for: error))")
    }
  }
}
