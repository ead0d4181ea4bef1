internal import Foundation
internal import PerfModel
internal import PerfRunner
internal import PerfScenario

/// The rules of a gate in one revision: its project file and its scenario files.
struct GateRules {
  /// The project file; nil if the revision has none that can be read.
  var project: ProjectFile? { (try? file?.get()) ?? nil }
  private let file: Result<ProjectFile, ScenarioError>?
  let files: [String: Result<ScenarioFile, ScenarioError>]
  /// The text of a file of the revision; nil if it does not exist.
  private let text: (_ path: String) -> String?
  /// The folder of the scenario files, from the root.
  let folder: String
  /// The folder of the project, from the root and with a slash at its end.
  private let place: String

  /// Reads the rules of a revision.
  ///
  /// - Parameters:
  ///   - place: The folder of the project, from the root and with a slash at its end.
  ///   - folder: The folder of the scenario files from the root; nil for the project's.
  ///   - list: Returns the files of a folder.
  ///   - read: Returns the text of a file; nil if it does not exist.
  private init(
    place: String, folder: String?, list: (String) throws -> [String],
    read: @escaping (String) throws -> String?
  ) {
    let text = { (path: String) in (try? read(path)) ?? nil }
    let file = ProjectFile.read(at: place, text)
    let folder =
      folder ?? place + ((try? file?.get()) ?? ProjectFile()).scenarios
    (self.file, self.folder, self.place, self.text) = (file, folder, place, text)
    files = Dictionary(
      ScenarioLibrary.names(of: (try? list(folder)) ?? []).map { name in
        let path = "\(folder)/\(name).yml"
        return (
          name,
          Result { () throws(ScenarioError) in
            guard let content = text(path) else {
              throw .file(path: path, .missing)
            }
            return try ScenarioFile(text: content, path: path, inTree: text)
          }
        )
      }
    ) { first, _ in first }
  }

  /// Reads the rules of a tree.
  ///
  /// - Parameters:
  ///   - tree: The root of the tree.
  ///   - place: The folder of the project, from the root and with a slash at its end.
  ///   - folder: The folder of the scenario files from the root; nil for the project's.
  init(tree: String, place: String = "", folder: String? = nil) {
    self.init(place: place, folder: folder) {
      try FileManager.default.contentsOfDirectory(atPath: "\(tree)/\($0)")
    } read: {
      try? String(contentsOfFile: "\(tree)/\($0)", encoding: .utf8)
    }
  }

  /// Reads the rules of a revision that is not checked out.
  init(of revision: GitCheckout.Revision, in checkout: GitCheckout, place: String) {
    self.init(place: place, folder: nil) {
      try checkout.files(in: $0, of: revision)
    } read: {
      try checkout.text(of: $0, in: revision)
    }
  }

  /// The scenarios that a gate without names judges.
  var gated: [String] {
    let named = project?.gate.scenarios ?? []
    return named.isEmpty ? files.keys.sorted() : named
  }

  func scenario(_ name: String) -> Scenario? { try? files[name]?.get().scenario }

  /// Returns the earlier names of scenarios whose file is the same but for its name and summary.
  func renamed(in candidate: GateRules) -> [String: String] {
    func content(_ scenario: Scenario?) -> Scenario? {
      var scenario = scenario
      scenario?.name = ""
      scenario?.summary = ""
      return scenario
    }
    var new = candidate.files.keys.filter { files[$0] == nil }.sorted()
    var renamed: [String: String] = [:]
    for old in files.keys.sorted() where candidate.files[old] == nil {
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
      files[$0] != nil && candidate.files[$0] == nil && !renamed.values.contains($0)
    }
    let kept = files.keys.sorted().filter { candidate.files[$0] != nil && isNamed($0) }
    var changes = lost.map {
      GateChange(
        kind: .removed, subject: $0, sentence: "Scenario \($0) is removed: the base has it.")
    }
    changes += moved.map { new, old in
      GateChange(kind: .renamed, subject: new, sentence: "Scenario \(old) is now \(new).")
    }
    changes += kept.compactMap { loosening($0, in: candidate, isWhole: names == nil) }
    changes += kept.compactMap { otherChange($0, in: candidate) }
    return changes
      + [projectChange(to: candidate.project ?? ProjectFile(), upstream)]
      .compactMap(\.self)
  }

  /// Returns a short hash of a content for a change's sentence, so that a decision accepts this content
  /// alone.
  private static func fingerprint(_ content: String) -> String {
    String(StableHash.text(of: content).prefix(8))
  }

  private static func loosened(_ changes: [String]) -> String {
    "The candidate loosens the gate: \(changes.joined(separator: "; "))."
  }

  private func loosening(_ name: String, in candidate: GateRules, isWhole: Bool) -> GateChange? {
    var changes: [String] = []
    if isWhole, gated.contains(name), !candidate.gated.contains(name) {
      changes.append("\(ProjectFile.name) no longer names the scenario")
    }
    if let before = scenario(name), let after = candidate.scenario(name) {
      changes += Loosening(from: before, to: after).changes
    }
    guard !changes.isEmpty else { return nil }
    return GateChange(
      kind: .loosened, subject: name,
      sentence: Self.loosened(changes) + GateChange.byBase)
  }

  private func otherChange(_ name: String, in candidate: GateRules) -> GateChange? {
    guard let after = candidate.scenario(name) else { return nil }
    switch files[name] {
    case .success(let before)?:
      let parts = Loosening.otherChanges(from: before.scenario, to: after)
      guard !parts.isEmpty else { return nil }
      // The project file may name the program.
      let content =
        (candidate.text("\(candidate.folder)/\(name).yml") ?? "")
        .trimmingCharacters(in: .whitespacesAndNewlines) + "\n\(after.worker)"
      return GateChange(
        kind: .changed, subject: name,
        sentence: "The scenario changed (\(parts.joined(separator: ", "))) to content "
          + "\(Self.fingerprint(content)).")
    case .failure(let error)?:
      // A project file that cannot be read is one change; all its scenarios inherit the error.
      if case .failure? = file { return nil }
      return .unreadable(name, error)
    case nil: return nil
    }
  }

  /// Returns the looser settings of the project file.
  ///
  /// A first project file loosens nothing if the base has no scenarios. Otherwise it is compared with the settings
  /// of a Swift package without a file; only a file, or a package, says how the base is built.
  private func projectChange(
    to candidate: ProjectFile, _ upstream: ProjectFile?
  ) -> GateChange? {
    if case .failure(let error)? = file { return .unreadable(ProjectFile.name, error) }
    var changes: [String] = []
    if let project = project ?? (files.isEmpty ? nil : ProjectFile()) {
      changes += candidate.controls.filter { !project.controls.contains($0) }
        .map { "scenario \($0) is a control of all" }
      if candidate.gate.isQuick, !project.gate.isQuick { changes.append("it is quick") }
      // Less time leaves more metrics undecided, which CI may let pass.
      if let limit = candidate.gate.maxTime, limit < project.gate.maxTime ?? .max {
        let old = project.gate.maxTime.map { NumberFormat.human(Double($0), .time) }
        changes.append(
          "it measures for at most \(NumberFormat.human(Double(limit), .time)), not "
            + (old ?? "without a limit"))
      }
      // Both sides are built as the candidate's file says, so that slower flags do not show.
      let isBuilt = file != nil || text(place + "Package.swift") != nil
      let settings: [(String, (ProjectFile) -> String)] =
        isBuilt
        ? [("build", { "\($0.build)" }), ("link", { "\($0.link)" }), ("products", { $0.products })]
        : []
      changes += settings.filter { $0.1(project) != $0.1(candidate) }
        .map { "'\($0.0)' changed for both sides to content \(Self.fingerprint($0.1(candidate)))" }
    }
    if let upstream, upstream.gate.against != candidate.gate.against {
      changes.append(
        "it compares with '\(candidate.gate.against ?? "the merge base")', not with "
          + "'\(upstream.gate.against ?? "the merge base")'")
    }
    guard !changes.isEmpty else { return nil }
    return GateChange(
      kind: .loosened, subject: ProjectFile.name, sentence: Self.loosened(changes))
  }
}

extension ProjectFile {
  /// Reads the project file of a folder of a revision.
  ///
  /// - Parameters:
  ///   - place: The folder, from the root and with a slash at its end; empty for the root.
  ///   - read: Returns the text of a file; nil if it does not exist.
  /// - Returns: The file or its error; nil if there is none.
  static func read(
    at place: String, _ read: (String) -> String?
  ) -> Result<ProjectFile, ScenarioError>? {
    read(place + name).map { text in
      Result { () throws(ScenarioError) in try ProjectFile(text: text, path: place + name) }
    }
  }
}
