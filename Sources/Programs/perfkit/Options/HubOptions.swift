internal import ArgumentParser
internal import PerfGate
internal import PerfHub
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// The option of verbs that push their runs when they finish.
struct HubOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Push the runs to this hub when they are complete. Default: PERFKIT_HUB, perfkit.yml's, or "
        + "none.", valueName: "url"))
  var hub: String?

  /// Returns the address of the hub; nil for none.
  ///
  /// - Throws: `Failure` for wrong usage if the address is invalid.
  func address(_ context: Context) throws -> HubAddress? {
    try HubAddress(option: hub, context)
  }

  /// Pushes runs at the end of a command, whose exit status does not depend on it.
  ///
  /// - Parameters:
  ///   - references: The ids of runs and comparisons; other texts are ignored.
  ///   - address: The address; nil for none.
  ///   - global: The options of every verb.
  ///   - context: The context with the console.
  func push(
    _ references: [String], to address: HubAddress?, _ global: GlobalOptions, _ context: Context
  ) {
    guard let address, !references.isEmpty else { return }
    do {
      guard !context.workspace.isCancelled() else { throw Failure("The command was stopped.") }
      let store = try global.readOnlyStore(context)
      let ids = try references.flatMap { reference in
        try store.comparisonRuns(reference)
          ?? [reference].filter { (try? store.header(id: $0)) != nil }
      }
      let hub = try Hub(address, isCancelled: context.workspace.isCancelled)
      let transfer = try hub.push(ids, of: store)
      global.log(transfer.sentence(of: hub), context)
    } catch {
      var words = ["perfkit", "hub", "push"]
      if hub != nil { words += ["--hub", address.description] }
      if let path = global.store { words += ["--store", path] }
      let reason = error is CancellationError ? "The command was stopped." : "\(error)"
      context.console.error(
        "perfkit: warning: the runs are not on the hub, but in '"
          + context.workspace.shown(global.storePath(context))
          + "': \(reason)\nPush them later with:\n  \(Wording.command(words + references))")
    }
  }
}

/// The option of the verbs of `perfkit hub`.
struct HubPlaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use this hub. Default: PERFKIT_HUB, or perfkit.yml's.", valueName: "url"))
  var hub: String?

  /// Connects to the hub.
  ///
  /// - Throws: `Failure` for wrong usage without a valid address, `HubError`, `CancellationError`.
  func connect(_ context: Context) throws -> Hub {
    guard let address = try HubAddress(option: hub, context) else {
      throw Failure(
        "no hub is named. Pass --hub URL, set PERFKIT_HUB, or add 'hub: URL' to perfkit.yml.",
        status: .usage)
    }
    return try Hub(address, isCancelled: context.workspace.isCancelled)
  }
}

extension HubAddress {
  /// Reads the address of an option, of PERFKIT_HUB or of the project file; nil for none.
  ///
  /// An empty text is no address, so that the option or the variable switches a project's hub off.
  ///
  /// - Throws: `Failure` for wrong usage if the address is invalid.
  init?(option: String?, _ context: Context) throws {
    let given = option ?? context.workspace.variables["PERFKIT_HUB"]
    guard let text = try given ?? Self.ofProject(context.workspace), !text.isEmpty else {
      return nil
    }
    try self.init(checking: text)
    if given == nil, hasPassword {
      throw Failure(
        "perfkit.yml names a hub with a password, which everyone who reads the repository would "
          + "know. Remove it there, and put it into ~/.pgpass or PGPASSWORD.", status: .usage)
    }
  }

  /// Reads an address.
  ///
  /// - Throws: `Failure` for wrong usage if the address is invalid.
  init(checking text: String) throws {
    do {
      try self.init(text)
    } catch {
      throw Failure("\(error)", status: .usage)
    }
  }

  private static func ofProject(_ workspace: Workspace) throws -> String? {
    let folder = workspace.workingDirectory
    // Git refuses a checkout of another user, who could name a hub for the runs of this one.
    let root = (try? workspace.checkout())?.root ?? folder
    return try ProjectFile.ofTree(root, at: folder)?.hub
  }
}

extension HubTransfer {
  /// Returns a line about a push.
  func sentence(of hub: Hub) -> String {
    let size = bytes > 0 ? " (\(NumberFormat.human(Double(bytes), .size)))" : ""
    let completed =
      completed > 0 ? "; \(Wording.count(completed, "known run")) received profiles" : ""
    let known = Wording.known(known, "there")
    return "pushed \(Self.summary(runs, comparisons, decisions, baselines)) to '\(hub.name)'"
      + "\(size)\(completed)\(known)"
  }

  /// Returns the numbers of copied items in words.
  static func summary(
    _ runs: Int, _ comparisons: Int, _ decisions: Int, _ baselines: Int
  ) -> String {
    "\(Wording.count(runs, "run")), \(Wording.count(comparisons, "comparison")), "
      + "\(Wording.count(decisions, "decision")) and \(Wording.count(baselines, "baseline"))"
  }
}
