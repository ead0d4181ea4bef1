internal import PerfModel
internal import PerfScenario

/// The rules of a gate in one revision: its project file and its scenario files.
struct GateRules {
  let project: ProjectFile
  let scenarios: [String: Result<Scenario, ScenarioError>]

  /// Reads the rules of a tree; without a readable project file the default settings count.
  ///
  /// - Parameters:
  ///   - tree: The root of the tree.
  ///   - folder: The folder of the scenario files from the root; nil for the project's.
  init(tree: String, folder: String? = nil) {
    project = (try? ProjectFile.ofTree(tree)) ?? ProjectFile()
    let library = ScenarioLibrary(folder: "\(tree)/\(folder ?? project.scenarios)")
    scenarios = Dictionary(
      ((try? library.entries()) ?? []).map { entry in
        (entry.name, entry.result.map { $0.scenario })
      }
    ) { first, _ in first }
  }

  /// The scenarios that a gate without names judges.
  var gated: [String] {
    project.gate.scenarios.isEmpty ? scenarios.keys.sorted() : project.gate.scenarios
  }

  func scenario(_ name: String) -> Scenario? { try? scenarios[name]?.get() }

  /// Returns the earlier names of scenarios whose file is the same but for its name and summary.
  func renamed(in candidate: GateRules) -> [String: String] {
    func content(_ scenario: Scenario?) -> Scenario? {
      var scenario = scenario
      scenario?.name = ""
      scenario?.summary = ""
      return scenario
    }
    var new = candidate.scenarios.keys.filter { scenarios[$0] == nil }.sorted()
    var renamed: [String: String] = [:]
    for old in scenarios.keys.sorted() where candidate.scenarios[old] == nil {
      guard let before = content(scenario(old)),
        let index = new.firstIndex(where: { content(candidate.scenario($0)) == before })
      else { continue }
      renamed[new.remove(at: index)] = old
    }
    return renamed
  }

  /// Returns the changes of the rules up to a candidate.
  ///
  /// - Parameters:
  ///   - candidate: The candidate's rules.
  ///   - names: The scenarios to judge; nil for all scenarios that the base judges.
  ///   - upstream: The project file of the target branch, which names the base; nil if the user does.
  /// - Returns: The changes, by scenario.
  func changes(
    to candidate: GateRules, of names: [String]? = nil, upstream: ProjectFile? = nil
  ) -> [GateChange] {
    let renamed = renamed(in: candidate)
    let isNamed = { (name: String) in names?.contains(name) ?? true }
    let moved = renamed.sorted { $0.value < $1.value }.filter {
      isNamed($0.key) || isNamed($0.value)
    }
    let lost = (names ?? gated).filter {
      scenarios[$0] != nil && candidate.scenarios[$0] == nil && !renamed.values.contains($0)
    }
    let kept = scenarios.keys.sorted().filter { candidate.scenarios[$0] != nil && isNamed($0) }
    var changes = lost.map {
      GateChange(
        kind: .removed, subject: $0, sentence: "Scenario \($0) is removed: the base has it.")
    }
    changes += moved.map { new, old in
      GateChange(kind: .renamed, subject: new, sentence: "Scenario \(old) is now \(new).")
    }
    changes += kept.compactMap { loosening($0, in: candidate, isWhole: names == nil) }
    changes += kept.compactMap { otherChange($0, in: candidate) }
    let project = names == nil ? projectChanges(to: candidate.project, upstream) : []
    return changes + [Self.loosened(ProjectFile.name, project)].compactMap(\.self)
  }

  private static func loosened(_ subject: String, _ changes: [String]) -> GateChange? {
    guard !changes.isEmpty else { return nil }
    return GateChange(
      kind: .loosened, subject: subject,
      sentence: "The candidate loosens the gate: \(changes.joined(separator: "; ")). "
        + "The base's rules decide.")
  }

  private func loosening(_ name: String, in candidate: GateRules, isWhole: Bool) -> GateChange? {
    var changes: [String] = []
    if isWhole, gated.contains(name), !candidate.gated.contains(name) {
      changes.append("\(ProjectFile.name) no longer names the scenario")
    }
    if let before = scenario(name), let after = candidate.scenario(name) {
      changes += Loosening(from: before, to: after).changes
    }
    return Self.loosened(name, changes)
  }

  private func otherChange(_ name: String, in candidate: GateRules) -> GateChange? {
    guard case .success(let after)? = candidate.scenarios[name] else { return nil }
    switch scenarios[name] {
    case .success(let before)?:
      let parts = Loosening.otherChanges(from: before, to: after)
      guard !parts.isEmpty else { return nil }
      return GateChange(
        kind: .changed, subject: name,
        sentence:
          "The scenario changed (\(parts.joined(separator: ", "))): both sides are measured "
          + "as the candidate's file says.")
    case .failure(let error)?:
      return GateChange(
        kind: .changed, subject: name,
        sentence: "The base's rules cannot be read, so that the candidate's decide: \(error)")
    case nil: return nil
    }
  }

  private func projectChanges(to candidate: ProjectFile, _ upstream: ProjectFile?) -> [String] {
    var changes = candidate.controls.filter { !project.controls.contains($0) }
      .map { "scenario \($0) is a control of all" }
    if candidate.gate.isQuick, !project.gate.isQuick { changes.append("it is quick") }
    if let upstream, upstream.gate.against != candidate.gate.against {
      changes.append(
        "it compares with '\(candidate.gate.against ?? "the merge base")', not with "
          + "'\(upstream.gate.against ?? "the merge base")'")
    }
    return changes
  }
}
