internal import ArgumentParser
internal import PerfGate
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// The verb `perfkit doctor`.
struct DoctorVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check what this machine can measure, and what disturbs it.",
    usage: "perfkit doctor [<options>]",
    discussion: """
      Observes the CPUs for about two seconds. Exits with 3 if something disturbs the machine now \
      (load, stolen time, tasks that wait for a CPU), and with 2 if something is missing.

      Example:
        perfkit doctor
      """)

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func perform(_ context: Context) throws -> ExitStatus {
    let workspace = context.workspace
    let environment = workspace.environment()
    let checks =
      Doctor(environment: environment, finder: workspace.finder).checks() + build(workspace)
      + [certificate(environment, context)]
    let table = Table(
      id: "doctor", title: "This machine",
      columns: [
        .init("state"), .init("subject"), .init("found", isProse: true),
        .init("remedy", isDetail: true),
      ],
      rows: checks.map { check in
        [
          .init(check.state.rawValue, Self.tone(check.state)), .init(check.subject),
          .init(check.detail), .init(check.remedy, .muted),
        ]
      })
    try output.write(
      Document(title: "doctor", blocks: [Self.verdict(checks), .table(table)]),
      json: table.json, global: global, context: context)
    let states = Set(checks.map(\.state))
    if states.contains(.missing) { return .failed }
    return states.contains(.disturbed) ? .inconclusive : .done
  }

  private static func verdict(_ checks: [Doctor.Check]) -> Document.Block {
    func subjects(_ state: Doctor.Check.State) -> String {
      checks.filter { $0.state == state }.map(\.subject).joined(separator: ", ")
    }
    let (missing, disturbed, degraded) = (
      subjects(.missing), subjects(.disturbed), subjects(.degraded)
    )
    if !missing.isEmpty { return .verdict("Missing: \(missing).", .bad) }
    let less = degraded.isEmpty ? "" : "; degraded: \(degraded)"
    if !disturbed.isEmpty {
      return .verdict("The machine is disturbed now: \(disturbed)\(less).", .unknown)
    }
    return .verdict(
      less.isEmpty
        ? "Everything can be measured on this machine."
        : "Everything important can be measured on this machine\(less).", .good)
  }

  /// Checks the toolchain and the flags by which revisions are built.
  private func build(_ workspace: Workspace) -> [Doctor.Check] {
    let checkout = try? workspace.checkout(isStoppable: false)
    let root = checkout?.root ?? workspace.workingDirectory
    do {
      guard let project = try ProjectFile.ofTree(root, at: workspace.workingDirectory) else {
        let detail = "'\(root)' has neither perfkit.yml nor Package.swift"
        return ["toolchain", "build flags"].map { Doctor.Check($0, detail, state: .unknown) }
      }
      let recipe = BuildRecipe(
        commands: project.build, products: project.products, toolchain: project.toolchain)
      return [
        toolchain(recipe, root: "\(root)/\(project.place)", workspace),
        Doctor.Check("build flags", recipe.flags(workspace.variables)),
      ]
    } catch {
      return [
        Doctor.Check(
          "build flags", "unknown: \(error)", state: .degraded,
          remedy: "Correct perfkit.yml: revisions cannot be built.")
      ]
    }
  }

  private func toolchain(
    _ recipe: BuildRecipe, root: String, _ workspace: Workspace
  ) -> Doctor.Check {
    func unknown(_ reason: String, remedy: String) -> Doctor.Check {
      Doctor.Check("toolchain", "unknown: \(reason)", state: .degraded, remedy: remedy)
    }
    guard recipe.commands.contains(where: { $0 != ["true"] }) else {
      return Doctor.Check("toolchain", "none: nothing is built")
    }
    guard !recipe.toolchain.isEmpty else {
      return unknown(
        "perfkit.yml has no 'toolchain'",
        remedy: "Add 'toolchain: [cc, --version]', so that builds of two compilers are "
          + "distinguished.")
    }
    let command = recipe.toolchain.joined(separator: " ")
    do {
      if let version = try recipe.version(in: root, variables: workspace.variables) {
        // GNU compilers print their copyright after their version.
        let parts = version.split(separator: ", Copyright", maxSplits: 1)
        return Doctor.Check("toolchain", parts.first.map(String.init) ?? version)
      }
      return unknown(
        "`\(command)` failed",
        remedy: "Correct 'toolchain' in perfkit.yml: builds of two compilers are not "
          + "distinguished.")
    } catch {
      return unknown("\(error)", remedy: "Revisions cannot be built on this machine.")
    }
  }

  private func certificate(_ environment: Environment, _ context: Context) -> Doctor.Check {
    let store = try? global.readOnlyStore(context)
    let certificate = try? store?.certificate(of: environment.machine)
    return Doctor.Check(
      "noise certificate",
      certificate.map { NoiseStatus.certified($0).summary } ?? "none",
      state: certificate == nil ? .unknown : .good,
      remedy: certificate == nil
        ? "Run 'perfkit selftest' to find the smallest detectable change." : "")
  }

  private static func tone(_ state: Doctor.Check.State) -> Tone {
    switch state {
    case .good: .good
    case .unknown: .muted
    case .degraded, .disturbed: .unknown
    case .missing: .bad
    }
  }
}
