internal import ArgumentParser
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfScenario
internal import PerfStore

/// The verb `perfkit doctor`.
struct DoctorVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what this machine can measure, and what disturbs it.",
    discussion: """
      Takes about two seconds, in which it looks at the machine's CPUs. Exits with 3 when something \
      disturbs it now: load, stolen time, tasks that wait for CPUs; and with 2 when something is missing.

      Example:
        perfkit doctor
      """)

  @OptionGroup(title: "Output")
  var output: OutputOptions

  @OptionGroup(title: "General")
  var global: GlobalOptions

  func perform(_ context: Context) throws -> ExitStatus {
    let environment = EnvironmentProbe(
      directory: context.workingDirectory, variables: context.variables
    ).environment()
    let findings =
      Doctor(
        environment: environment,
        finder: ProgramFinder(
          programDirectory: context.programDirectory, environment: context.variables)
      ).checks() + build(context) + [certificate(environment, context)]
    let table = Table(
      id: "doctor", title: "This machine",
      columns: [
        .init("state"), .init("subject"), .init("found", isProse: true),
        .init("what to do", key: "remedy", isDetail: true),
      ],
      rows: findings.map { finding in
        [
          .init(finding.state.rawValue, Self.tone(finding.state)), .init(finding.subject),
          .init(finding.detail), .init(finding.remedy, .muted),
        ]
      })
    try output.write(
      Document(title: "doctor", blocks: [Self.verdict(findings), .table(table)]),
      json: table.json, global: global, context: context)
    let states = Set(findings.map(\.state))
    if states.contains(.missing) { return .failed }
    return states.contains(.disturbed) ? .inconclusive : .done
  }

  private static func verdict(_ findings: [Doctor.Check]) -> Document.Block {
    func subjects(_ state: Doctor.Check.State) -> String {
      findings.filter { $0.state == state }.map(\.subject).joined(separator: ", ")
    }
    let (missing, disturbed, degraded) = (
      subjects(.missing), subjects(.disturbed), subjects(.degraded)
    )
    if !missing.isEmpty { return .verdict("Something is missing: \(missing).", .bad) }
    let less = degraded.isEmpty ? "" : "; less than good: \(degraded)"
    if !disturbed.isEmpty {
      return .verdict("Something disturbs this machine now: \(disturbed)\(less).", .unknown)
    }
    return .verdict(
      less.isEmpty
        ? "Everything can be measured here."
        : "Everything that matters can be measured here\(less).", .good)
  }

  /// What revisions are built by here, as `perfkit.yml` or the lack of it says.
  private func build(_ context: Context) -> [Doctor.Check] {
    let checkout = try? GitCheckout(
      containing: context.workingDirectory, variables: context.variables)
    let root = checkout?.root ?? context.workingDirectory
    do {
      guard let project = try ProjectFile.ofTree(root) else {
        let nothing = "unknown: '\(root)' has neither perfkit.yml nor Package.swift"
        return ["toolchain", "build flags"].map {
          Doctor.Check(subject: $0, state: .good, detail: nothing)
        }
      }
      let recipe = BuildRecipe(
        commands: project.build, products: project.products, toolchain: project.toolchain)
      return [
        toolchain(recipe, root: root, context),
        Doctor.Check(
          subject: "build flags", state: .good, detail: recipe.flags(context.variables)),
      ]
    } catch {
      return [
        Doctor.Check(
          subject: "build flags", state: .degraded, detail: "unknown: \(error)",
          remedy: "Revisions cannot be built until it is mended.")
      ]
    }
  }

  private func toolchain(
    _ recipe: BuildRecipe, root: String, _ context: Context
  ) -> Doctor.Check {
    guard !recipe.toolchain.isEmpty else {
      return Doctor.Check(
        subject: "toolchain", state: .degraded, detail: "unknown: perfkit.yml has no 'toolchain'",
        remedy: "With 'toolchain: [cc, --version]' another compiler's builds are told apart.")
    }
    let command = recipe.toolchain.joined(separator: " ")
    do {
      if let version = try recipe.version(in: root, variables: context.variables) {
        return Doctor.Check(subject: "toolchain", state: .good, detail: version)
      }
      return Doctor.Check(
        subject: "toolchain", state: .degraded, detail: "unknown: `\(command)` failed",
        remedy: "Revisions are built without knowing by what.")
    } catch {
      return Doctor.Check(
        subject: "toolchain", state: .degraded, detail: "unknown: \(error)",
        remedy: "Revisions cannot be built here.")
    }
  }

  /// What selftests said of this machine; without one nothing is the matter.
  private func certificate(_ environment: Environment, _ context: Context) -> Doctor.Check {
    let store = try? RunStore(path: global.storePath(context), access: .reading)
    let certificate = try? store?.certificate(of: environment.machine)
    return Doctor.Check(
      subject: "noise certificate", state: .good,
      detail: certificate.map { NoiseStatus.certified($0).summary } ?? "none",
      remedy: certificate == nil ? "'perfkit selftest' says which changes can be told here." : "")
  }

  private static func tone(_ state: Doctor.Check.State) -> Tone {
    switch state {
    case .good: .good
    case .degraded, .disturbed: .unknown
    case .missing: .bad
    }
  }
}
