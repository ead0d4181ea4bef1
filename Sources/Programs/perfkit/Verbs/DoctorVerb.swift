internal import ArgumentParser
internal import PerfModel
internal import PerfReport
internal import PerfRunner
internal import PerfStore

/// The verb `perfkit doctor`.
struct DoctorVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Say what this machine can measure, and what disturbs it.",
    discussion: """
      Takes about a second: it measures how late the machine wakes a thread.

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
      ).findings() + [certificate(environment, context)]
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
    let missing = findings.filter { $0.state == .missing }
    let degraded = findings.filter { $0.state == .degraded }.map(\.subject)
    let verdict =
      missing.isEmpty
      ? degraded.isEmpty
        ? "Everything can be measured here."
        : "Everything that matters can be measured here; less than good: "
          + "\(degraded.joined(separator: ", "))."
      : "Something is missing: \(missing.map(\.subject).joined(separator: ", "))."
    try output.write(
      Document(
        title: "doctor",
        blocks: [
          .verdict(verdict, missing.isEmpty ? .good : .bad), .table(table),
        ]),
      json: table.json, global: global, context: context)
    return missing.isEmpty ? .done : .failed
  }

  /// What selftests said of this machine; without one nothing is the matter.
  private func certificate(_ environment: Environment, _ context: Context) -> Doctor.Finding {
    let store = try? RunStore(path: global.storePath(context), access: .reading)
    let certificate = try? store?.certificate(of: environment.machine)
    return Doctor.Finding(
      subject: "noise certificate", state: .good,
      detail: certificate.map { NoiseStatus.certified($0).summary } ?? "none",
      remedy: certificate == nil ? "'perfkit selftest' says which changes can be told here." : "")
  }

  private static func tone(_ state: Doctor.Finding.State) -> Tone {
    switch state {
    case .good: .good
    case .degraded: .unknown
    case .missing: .bad
    }
  }
}
