internal import PerfModel

/// The reason why a scenario cannot be used.
public enum ScenarioError: Error, Equatable, CustomStringConvertible {
  /// The file cannot be read as text.
  case file(path: String, FileProblem)
  /// The content of the file is invalid.
  case content(SourceLocation, ContentProblem)
  /// The content of the file is invalid in several places, in their order.
  case several([ScenarioError])
  /// A `--set KEY=VALUE` is invalid.
  case override(String, ContentProblem)
  /// The variant of the command line does not exist.
  case unknownVariant(String, scenario: String, known: [String])
  /// The folder contains no scenario with the name.
  case unknownScenario(String, folder: String, known: [String])
  /// The folder cannot be listed.
  case folder(path: String, reason: String)
  /// The folder does not exist, and a folder above it is the project's.
  case belowProject(folder: String, project: String)

  /// A message with the object, the cause and the remedy.
  public var description: String {
    switch self {
    case .file(let path, let problem): "cannot read scenario '\(path)': \(problem)"
    case .content(let location, let problem): "\(location): \(problem)"
    case .several(let faults):
      (["'\(faults.file ?? "")' has \(faults.count) faults:"] + faults.map(\.description))
        .joined(separator: "\n")
    case .override(let argument, let problem): "--set \(argument): \(problem)"
    case .unknownVariant(let name, let scenario, let known):
      "scenario '\(scenario)' has no variant '\(name)'" + hint(for: name, among: known, "Variants")
    case .unknownScenario(let name, let folder, let known):
      known.isEmpty
        ? "no scenario '\(name)': '\(folder)' contains no .yml files."
        : "no scenario '\(name)' in '\(folder)'"
          + (Self.variant(in: name, of: known) ?? hint(for: name, among: known, "Scenarios"))
    case .folder(let path, let reason):
      "cannot list scenarios in '\(path)': \(reason). Write a first scenario with 'perfkit init', or pass "
        + "the folder of scenario files as --scenarios."
    case .belowProject(let folder, let project):
      "cannot list scenarios in '\(folder)': there is no such folder. The project is in '\(project)': run "
        + "the command there, or pass the folder of scenario files as --scenarios."
    }
  }
}

extension ScenarioError {
  /// Returns how to choose the variant of a reference like `scenario:variant`; nil for other names.
  private static func variant(in name: String, of known: [String]) -> String? {
    let parts = name.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, known.contains(String(parts[0])) else { return nil }
    return ". Name the variant by an option: '\(parts[0]) --variant \(parts[1])'."
  }
}

extension [ScenarioError] {
  /// The path of the file that has the faults.
  fileprivate var file: String? {
    lazy.compactMap { if case .content(let location, _) = $0 { location.file } else { nil } }.first
  }
}

/// The reason why a file cannot be read as text.
public enum FileProblem: Hashable, Sendable, CustomStringConvertible {
  case missing
  case directory
  /// A device, a pipe or a socket.
  case notRegular
  /// The file has more bytes than a scenario needs.
  case tooLarge(limit: Int)
  case unreadable(String)
  case notUTF8(offset: Int)

  /// The cause and the remedy.
  public var description: String {
    switch self {
    case .missing: "the file does not exist. 'perfkit list scenarios' lists the scenarios."
    case .directory: "it is a directory. Name a .yml file in it."
    case .notRegular: "it is not a regular file. Name a .yml file."
    case .tooLarge(let limit):
      "it is larger than \(NumberFormat.human(Double(limit), .size)). A scenario needs some kilobytes."
    case .unreadable(let reason): "\(reason). Check its permissions."
    case .notUTF8(let offset):
      "the byte at offset \(NumberFormat.grouped(offset)) is not UTF-8. Save it as "
        + "UTF-8, or pass a program after --: 'perfkit run -- PROGRAM'."
    }
  }
}

/// Returns a closing clause with the nearest known name, or with the known names.
func hint(for name: String, among known: [String], _ plural: String) -> String {
  if let nearest = NearestName.nearest(to: name, among: known) {
    return "; did you mean '\(nearest)'?"
  }
  guard !known.isEmpty else { return "." }
  let shown = known.prefix(12).joined(separator: ", ")
  return ". \(plural): \(shown)\(known.count > 12 ? ", ..." : "")."
}
