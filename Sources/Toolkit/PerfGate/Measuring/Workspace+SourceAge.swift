internal import Foundation
public import PerfModel
internal import PerfReport

extension Workspace {
  /// Returns whether a source file changed after the programs and libraries with its functions were built.
  ///
  /// They were built before the run at the latest: a file that is newer is not the one that was measured.
  ///
  /// - Parameters:
  ///   - path: The path in the debug information; relative paths are those of the workspace.
  ///   - profile: The profile with the functions of the file.
  ///   - started: The start of the run.
  /// - Returns: False if the file is missing.
  public func hasChanged(_ path: String, since profile: Profile, of started: Timestamp) -> Bool {
    guard let change = Self.changed(absolute(path)) else { return false }
    let names = Set(profile.functions.filter { $0.file == path }.map(\.module))
    return change > min(Self.oldest(names, of: profile)?.built ?? .max, started.milliseconds)
  }

  /// Returns a warning if a sampled function's source file changed between the build of its program and the
  /// start of the run.
  ///
  /// The files of programs without debug information are unknown.
  func outdatedProgram(_ profile: Profile, of started: Timestamp) -> RunWarning? {
    let functions = profile.functions.filter { $0.file != nil }
    let changed = Dictionary(grouping: functions) { absolute($0.file ?? "") }.compactMap {
      path, functions -> (path: String, program: String)? in
      // A file that changed during the run may have been the program's at its start.
      guard let change = Self.changed(path), change <= started.milliseconds,
        let oldest = Self.oldest(Set(functions.map(\.module)), of: profile),
        change > oldest.built
      else { return nil }
      return (path, oldest.name)
    }.sorted { $0.path < $1.path }
    guard let first = changed.first else { return nil }
    let others = changed.count == 1 ? "" : " and \(Wording.count(changed.count - 1, "other file"))"
    return RunWarning(
      code: RunWarning.outdatedCode,
      message:
        "the run may be of an older version: \(shown(first.path))\(others) changed after "
        + "'\(first.program)' was built",
      remedy:
        "Build the program and repeat the command, or measure revisions with `perfkit diff`, which builds "
        + "them.")
  }

  /// Returns the oldest of some programs and libraries, and when it was built; nil if all are missing.
  private static func oldest(
    _ names: Set<String>, of profile: Profile
  ) -> (name: String, built: Int64)? {
    profile.modules.filter { names.contains($0.name) }
      .compactMap { module in changed(module.path).map { (module.name, $0) } }
      .min { $0.1 < $1.1 }
  }

  /// Returns the time of the last change of a file in milliseconds since 1970; nil without the file.
  private static func changed(_ path: String) -> Int64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.modificationDate] as? Date).map {
      Int64($0.timeIntervalSince1970 * 1000)
    }
  }
}
